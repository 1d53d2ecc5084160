// What is written to the database can be sealed: encrypted, and bound to where it belongs. A reader of the database
// learns nothing, and a writer to it cannot put one value in another's place.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
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

/** How what is sealed begins. */
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

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
  readonly signing: Buffer;
}

const keyFrom = (text: string): Key => {
  const bytes = createHash("sha256").update("segno seal\0").update(text).digest();
  return {
    id: createHash("sha256").update("segno key id\0").update(bytes).digest("hex").slice(0, KEY_ID_LENGTH),
    bytes,
    signing: createHmac("sha256", bytes).update("segno sign").digest(),
  };
};

const aadOf = (place: SealedPlace): Buffer => Buffer.from(JSON.stringify(place));

class KeySeal implements Seal {
  readonly isSealed = true;
  readonly keyIds: readonly string[];
  readonly #keys: readonly Key[];

  constructor(keys: readonly Key[]) {
    this.#keys = keys;
    this.keyIds = keys.map(({ id }) => id);
  }

  close(text: string, place: SealedPlace): string {
    const key = this.#keys[0]!;
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
    cipher.setAAD(aadOf(place));
    const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${MARK}${key.id}:${body.toString("base64")}`;
  }

  open(text: string, place: SealedPlace): string {
    if (!text.startsWith(MARK)) throw unsealed(place);
    const [id, body = ""] = text.slice(MARK.length).split(":", 2);
    const key = this.#keys.find((one) => one.id === id);
    if (!key) throw this.#otherKey(id ?? "");
    try {
      const bytes = Buffer.from(body, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, 12));
      decipher.setAAD(aadOf(place));
      decipher.setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    } catch (problem) {
      throw new ChangedInDatabase(
        `What the database holds at ${place.join(" ")} is not what was sealed for that place: somebody changed or moved it. It is not used.`,
        "SEGNO_SEAL_KEY",
        { cause: problem, ...whereItBelongs(place) },
      );
    }
  }

  #otherKey(id: string): StoreError {
    return new StoreError(
      "sealed",
      `What was recorded is sealed with the key ${id}, and SEGNO_SEAL_KEY has ${this.keyIds.join(", ")}. Add that key, with a comma between: in front if it is the newer one, behind if it is the older.`,
      "SEGNO_SEAL_KEY",
    );
  }

  sign(text: string, place: SealedPlace): string {
    const key = this.#keys[0]!;
    return `${key.id}:${signature(key, text, place).toString("base64")}`;
  }

  isSigned(text: string, place: SealedPlace, given: string | null): boolean {
    const [id, mac = ""] = given?.split(":", 2) ?? [];
    if (id === undefined || id.length !== KEY_ID_LENGTH) return false;
    const key = this.#keys.find((one) => one.id === id);
    if (!key) throw this.#otherKey(id);
    const bytes = Buffer.from(mac, "base64");
    const wanted = signature(key, text, place);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  }

  digests(text: string, place: SealedPlace): readonly string[] {
    return this.#keys.map((key) => signature(key, text, ["digest", ...place]).toString("hex"));
  }
}

/** The value that was closed as JSON. Without a key anybody may have written there: what is no JSON is not used either. */
export function openValue<Value>(seal: Seal, text: string, place: SealedPlace): Value {
  const opened = seal.open(text, place);
  try {
    return JSON.parse(opened) as Value;
  } catch (problem) {
    throw new ChangedInDatabase(
      `What the database holds at ${place.join(" ")} is not what Segno wrote: somebody changed it. It is not used.`,
      String(place[0]),
      { cause: problem, ...whereItBelongs(place) },
    );
  }
}

const signature = (key: Key, text: string, place: SealedPlace): Buffer =>
  createHmac("sha256", key.signing).update(aadOf(place)).update("\0").update(text).digest();

const unsealed = (place: SealedPlace): StoreError =>
  new ChangedInDatabase(
    `What the database holds at ${place.join(" ")} is not sealed, and everything here is (SEGNO_SEAL_KEY): it is not used.`,
    "SEGNO_SEAL_KEY",
    whereItBelongs(place),
  );

/** What is asked and answered belongs to a step; a journal that was changed has no step to go on from. */
const whereItBelongs = ([run, kind, key]: SealedPlace): { readonly runId?: string; readonly key?: string } =>
  (kind === "answer" || kind === "question") && typeof key === "string" ? { runId: String(run), key } : {};

/** Of what stands there as it is. */
export const UNSEALED: Seal = {
  isSealed: false,
  keyIds: [],
  close: (text) => text,
  open(text) {
    if (!text.startsWith(MARK)) return text;
    throw new StoreError(
      "sealed",
      "What was recorded is sealed, and SEGNO_SEAL_KEY is not set here. Set it to the key that the workers have.",
      "SEGNO_SEAL_KEY",
    );
  },
  sign: () => null,
  isSigned: (_text, _place, signed) => signed === null,
  digests: () => [],
};

/** `keys`: the one to seal with, and behind commas earlier ones that are still read. */
export function sealWith(keys: string | undefined): Seal {
  const texts = (keys ?? "").split(",").map((key) => key.trim());
  const given = texts.filter((key) => key !== "");
  if (given.length === 0) return UNSEALED;
  if (given.some((key) => key.length < 32))
    throw new StoreError(
      "sealed",
      "SEGNO_SEAL_KEY is too short to seal with: give at least 32 characters, as `openssl rand -hex 32` makes them.",
      "SEGNO_SEAL_KEY",
    );
  return new KeySeal(given.map(keyFrom));
}
