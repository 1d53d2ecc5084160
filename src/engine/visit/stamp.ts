// An error becomes an envelope with its place; one that crossed a boundary keeps the place where it was raised.
import { type Envelope, envelope, type Raised } from "../../errors/index.ts";
import type { Visit } from "../frame.ts";

export function stamped({ frame, work, ledBy }: Visit, attempt: number, error: Raised): Envelope {
  const crossed = "raised_at" in error ? (error as Envelope) : undefined;
  const made = crossed
    ? attempt > 1
      ? { ...crossed, attempts: attempt }
      : crossed
    : envelope(error, { workflow: frame.name, node: work.name, attempt });
  return ledBy && !made.cause ? { ...made, cause: ledBy } : made;
}
