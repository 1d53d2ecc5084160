// Secrets that turn up in what a run records are kept with it before it is recorded: a later reader may not have them
// in the environment, and must hide them all the same. A secret that never turns up is not kept.
import type { DataText } from "../../hosts/data-text.ts";
import type { DriveLog } from "../../hosts/drive.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { Redactor } from "../../redact/index.ts";

/** A log without a place for secrets is in memory, and is not read later. */
export type KeepingLog = DriveLog & Partial<Pick<RunLog, "keepMet">>;

export function recordSecrets(log: KeepingLog, redactor: Redactor): DriveLog {
  const kept = new Set<string>();
  /** Every step passes here, and hardly one has a secret in it. */
  const keep = (dataTexts: readonly DataText[]): void | Promise<void> => {
    let found: { readonly secrets: string[]; readonly shortSecrets: string[] } | undefined;
    for (const text of dataTexts) {
      const { secrets, shortSecrets } = redactor.metIn(text);
      if (secrets.length === 0 && shortSecrets.length === 0) continue;
      found ??= { secrets: [], shortSecrets: [] };
      for (const secret of secrets) if (!kept.has(secret)) found.secrets.push(secret);
      for (const secret of shortSecrets) if (!kept.has(secret)) found.shortSecrets.push(secret);
    }
    if (!found || found.secrets.length + found.shortSecrets.length === 0) return undefined;
    for (const secret of [...found.secrets, ...found.shortSecrets]) kept.add(secret);
    return log.keepMet?.(found);
  };
  return {
    runId: log.runId,
    isElsewhere: log.isElsewhere ?? false,
    assertLease: () => log.assertLease(),
    ...(log.shelve ? { shelve: (holder) => log.shelve?.(holder) ?? holder } : {}),
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
