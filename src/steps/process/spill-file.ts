// Where all of what a process printed is kept when it was too much for memory.
import { createHash } from "node:crypto";

/** Beside the run's journal. */
export const SPILL_FOLDER = "outputs";

export interface SpillingAttempt {
  readonly node: string;
  readonly key: string;
  readonly attempt: number;
}

/** A file beside them: nothing in them has to be hidden any more. */
export const HIDDEN_MARK = ".hidden";

/** Keys hold the keys of items, which may be secrets and hold slashes: the digest tells two visits apart without them. */
export function spillName({ node, key, attempt }: SpillingAttempt, stream: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 8);
  const readable = node.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-80);
  return `${readable}-${digest}-${attempt}.${stream}`;
}
