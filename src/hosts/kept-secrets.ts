// What is kept apart from a run's journal, where only its user can read it: its secret inputs, and the secrets that turned up
// in what it recorded, so that later readers hide them too.
import type { SecretInputs, SecretsToKeep } from "./run-reader.ts";

export interface KeptSecrets {
  readonly inputs: SecretInputs;
  readonly met: SecretsToKeep;
  /** The run is done and its events hold no secret any more: none is kept. */
  readonly forgotten?: true;
}

export const NOTHING_KEPT: KeptSecrets = { inputs: {}, met: { secrets: [], shortSecrets: [] } };

const FORMAT = 2;

export const FORGOTTEN: KeptSecrets = { ...NOTHING_KEPT, forgotten: true };

export const textOfKept = ({ inputs, met, forgotten }: KeptSecrets): string =>
  JSON.stringify({ format: FORMAT, inputs, met, forgotten });

/** Throws when it is no JSON, or of another shape. */
export function keptFrom(text: string): KeptSecrets {
  const read = JSON.parse(text) as Partial<KeptSecrets> & { readonly format?: unknown };
  // Earlier versions kept the inputs alone.
  if (read.format !== FORMAT) return { ...NOTHING_KEPT, inputs: { ...(read as SecretInputs) } };
  const { inputs, met, forgotten } = read;
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === "string");
  if (typeof inputs !== "object" || inputs === null || !isList(met?.secrets) || !isList(met?.shortSecrets))
    throw new TypeError("not the secrets of a run");
  return { inputs, met: met as SecretsToKeep, ...(forgotten === true ? { forgotten } : {}) };
}

/** Both, each once. */
export const together = (one: SecretsToKeep, other: SecretsToKeep): SecretsToKeep => ({
  secrets: [...new Set([...one.secrets, ...other.secrets])],
  shortSecrets: [...new Set([...one.shortSecrets, ...other.shortSecrets])],
});
