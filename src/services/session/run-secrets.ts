// Secrets of a run, kept beside its journal: its secret inputs, which the journal lists by name, and those that turn up in
// what it records. A secret that never turns up is not kept.

import { isUnguessable, type Redactor } from "../../base/redact/index.ts";
import type { SplitInputs } from "../../engine/children/inputs.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import type { DataText, DriveLog } from "../../storage/drive.ts";
import type { RunLog } from "../../storage/run-log.ts";

export { type SplitInputs, splitSecrets } from "../../engine/children/inputs.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** Inputs as a journal has them, and which of them stand there for a secret. */
export interface JournalInputs {
  readonly inputs: Inputs;
  readonly hiddenInputs: readonly string[];
}

export const joinSecrets = ({ inputs, hiddenInputs }: JournalInputs, secrets: Inputs): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, hiddenInputs.includes(name) ? secrets[name] : value]),
  );

/** Whether a sub-workflow, at any depth, declares a secret input. */
export const childTakesSecrets = (workflow: LoadedWorkflow): boolean =>
  [...workflow.children.values()]
    .flatMap(familyOf)
    .some(({ definition }) => Object.values(definition.workflow.input ?? {}).some(({ secret }) => secret === true));

/** Shorter lines of a secret would hide ordinary words. */
const LINE = 8;

/** Every text inside the values of secret inputs. Their names are those of the file: hidden, no reader would find them. */
export function* textsOf(secrets: Inputs | readonly unknown[]): Iterable<string> {
  for (const value of Object.values(secrets)) yield* textsIn(value);
}

/** Of a text with several lines also each line, since tools print them so. */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    yield value;
    if (value.includes("\n")) yield* value.split(/\r?\n/).filter((line) => line.trim().length >= LINE);
  } else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      // A table of tokens has some of them for its keys.
      if (!Array.isArray(value) && isUnguessable(name)) yield name;
      yield* textsIn(inner);
    }
}

export async function saveSecretsOf({ split }: { readonly split: SplitInputs }, run: RunLog): Promise<void> {
  if (Object.keys(split.secrets).length === 0) return;
  const now = new Set(textsOf(split.secrets));
  const replaced = [...textsOf(await run.secrets())].filter((secret) => !now.has(secret));
  if (replaced.length > 0) await run.keepMet({ secrets: [], shortSecrets: replaced });
  await run.saveSecrets(split.secrets);
}

/** A log without a place for secrets is in memory, and is not read later. */
export type KeepingLog = DriveLog & Partial<Pick<RunLog, "keepMet">>;

/** Kept before what holds them is recorded: a later reader may not have them in its environment, and must hide them too. */
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
