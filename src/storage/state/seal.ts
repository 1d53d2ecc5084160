// What is written to a database can be sealed: encrypted, and bound to where it belongs. A reader of the database
// learns nothing, and a writer to it cannot put one value in another's place. Only fleets have keys (`features/fleet/postgres/key-seal.ts`).
import { ChangedInDatabase, StoreError } from "../store-error.ts";

/** What a text is bound to: a run, and what it is in it. */
export type SealedPlace = readonly (string | number)[];

export interface Seal {
  readonly isSealed: boolean;
  /** Ids of the keys that are here; the first is the one to seal with. */
  readonly keyIds: readonly string[];
  close(text: string, place: SealedPlace): string;
  open(text: string, place: SealedPlace): string;
  /** A signature of a text; null without a key. */
  sign(text: string, place: SealedPlace): string | null;
  /** Throws when it is signed with a key that is not here. */
  isSigned(text: string, place: SealedPlace, signature: string | null): boolean;
  /** The text as it can be compared without being read: a digest for each key that is here, in their order. */
  digests(text: string, place: SealedPlace): readonly string[];
}

export const MARK = "sealed:1:";

export const KEY_ID_LENGTH = 8;

/** The id of the key that a text says it is sealed with. */
export const sealingKey = (text: string | null): string | null =>
  text?.startsWith(MARK) ? (text.slice(MARK.length).split(":", 1)[0] ?? null) : null;

/** Whether, by the key id in its header, it was written with one of these keys, or without a key if there are none. */
export function isOpenTo({ isSealed, keyIds }: Pick<Seal, "isSealed" | "keyIds">, text: string): boolean {
  const key = sealingKey(text);
  return key === null ? !isSealed : keyIds.includes(key);
}

/** The value that was closed as JSON. Without a key anybody may have written there: what is no JSON is not used either. */
export function openValue<Value>(seal: Seal, text: string, place: SealedPlace): Value {
  const opened = seal.open(text, place);
  try {
    return JSON.parse(opened) as Value;
  } catch (problem) {
    throw new ChangedInDatabase(
      `What the database holds at ${place.join(" ")} is not what Segno wrote: it was changed. Segno does not use it.`,
      String(place[0]),
      { cause: problem, ...whereItBelongs(place) },
    );
  }
}

/** What is asked and answered belongs to a step; a journal that was changed has no step to go on from. */
export const whereItBelongs = ([run, kind, key]: SealedPlace): { readonly runId?: string; readonly key?: string } =>
  (kind === "answer" || kind === "question") && typeof key === "string" ? { runId: String(run), key } : {};

export const keyProblem = (message: string): StoreError => new StoreError("sealed", message, "SEGNO_SEAL_KEY");

/** Of what stands there as it is. */
export const UNSEALED: Seal = {
  isSealed: false,
  keyIds: [],
  close: (text) => text,
  open(text) {
    if (!text.startsWith(MARK)) return text;
    throw keyProblem(
      "What was recorded is sealed, and SEGNO_SEAL_KEY is not set here. Set it to the key that the workers have.",
    );
  },
  sign: () => null,
  isSigned: (_text, _place, signed) => signed === null,
  digests: () => [],
};
