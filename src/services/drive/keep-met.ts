// Secrets that turn up in what a run records are kept with it before it is recorded: whoever looks later may not have them in
// the environment, and hides them all the same. What never turns up is not kept, since nothing has to be hidden.
import type { DataText } from "../../hosts/data-text.ts";
import type { DriveLog } from "../../hosts/drive.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { MetSecrets, Redactor } from "../../redact/index.ts";

/** A log without a place for secrets is in memory, and nobody looks at it later. */
export type KeepingLog = DriveLog & Partial<Pick<RunLog, "keepMet">>;

/** The log, which keeps the secrets in events before the events. */
export function keepingMet(log: KeepingLog, redactor: Redactor): DriveLog {
  const kept = new Set<string>();
  const keep = (dataTexts: readonly DataText[]): void | Promise<void> => {
    const met = dataTexts.map((text) => redactor.metIn(text));
    const isNew = (secret: string): boolean => !kept.has(secret);
    const found: MetSecrets = {
      secrets: met.flatMap(({ secrets }) => secrets).filter(isNew),
      shortSecrets: met.flatMap(({ shortSecrets }) => shortSecrets).filter(isNew),
    };
    if (found.secrets.length === 0 && found.shortSecrets.length === 0) return undefined;
    for (const secret of [...found.secrets, ...found.shortSecrets]) kept.add(secret);
    return log.keepMet?.(found);
  };
  return {
    runId: log.runId,
    get lastSeq() {
      return log.lastSeq;
    },
    append(events, dataTexts = [], heard) {
      const keeping = keep(dataTexts);
      const append = () => log.append(events, dataTexts, heard);
      return keeping ? keeping.then(append) : append();
    },
  };
}
