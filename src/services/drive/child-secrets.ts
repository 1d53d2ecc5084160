// Secret inputs of sub-workflows. They come up while the run goes on, so they are learned, and kept for later readers, when the
// child begins; what held them before is hidden too whenever the run is looked at.
import { textsOf } from "../secret-inputs.ts";
import type { KeepingLog } from "./keep-met.ts";
import type { DriveSetup } from "./setup.ts";

/** Ten thousand items with a secret each are data: every text would be searched for each of them. */
const MOST = 1_000;

export function hidingSecrets({ redactor, split }: Pick<DriveSetup, "redactor" | "split">, log: KeepingLog) {
  const hidden = new Set(textsOf(split.secrets));
  return (secrets: Readonly<Record<string, unknown>>): void | Promise<void> => {
    const fresh = [...new Set(textsOf(secrets))].filter((text) => text !== "" && !hidden.has(text));
    const taken = fresh.slice(0, Math.max(0, MOST - hidden.size));
    if (taken.length === 0) return undefined;
    for (const secret of taken) {
      hidden.add(secret);
      redactor.learn(secret, "secret input");
    }
    return log.keepMet?.({ secrets: [], shortSecrets: taken });
  };
}
