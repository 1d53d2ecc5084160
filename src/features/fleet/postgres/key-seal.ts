// Seals with keys: SEGNO_SEAL_KEY, on all machines of a fleet.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  KEY_ID_LENGTH,
  keyProblem,
  MARK,
  type Seal,
  type SealedPlace,
  UNSEALED,
  whereItBelongs,
} from "../../../storage/state/seal.ts";
import { ChangedInDatabase, type StoreError } from "../../../storage/store-error.ts";

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
  /** `#`, and not `private`: a seal that is printed must not show them. */
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
    const [id = "", body = ""] = text.slice(MARK.length).split(":", 2);
    const key = this.#key(id);
    try {
      const bytes = Buffer.from(body, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, 12));
      decipher.setAAD(aadOf(place));
      decipher.setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    } catch (problem) {
      throw new ChangedInDatabase(
        `What the database holds at ${place.join(" ")} is not what was sealed for that place: it was changed or moved. Segno does not use it.`,
        "SEGNO_SEAL_KEY",
        { cause: problem, ...whereItBelongs(place) },
      );
    }
  }

  #key(id: string): Key {
    const key = this.#keys.find((one) => one.id === id);
    if (key) return key;
    throw keyProblem(
      `What was recorded is sealed with the key ${id}, and SEGNO_SEAL_KEY has ${this.keyIds.join(", ")}. Add that key, with a comma between: in front if it is the newer one, behind if it is the older.`,
    );
  }

  sign(text: string, place: SealedPlace): string {
    const key = this.#keys[0]!;
    return `${key.id}:${signature(key, text, place).toString("base64")}`;
  }

  isSigned(text: string, place: SealedPlace, given: string | null): boolean {
    const [id, mac = ""] = given?.split(":", 2) ?? [];
    if (id === undefined || id.length !== KEY_ID_LENGTH) return false;
    const key = this.#key(id);
    const bytes = Buffer.from(mac, "base64");
    const wanted = signature(key, text, place);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  }

  digests(text: string, place: SealedPlace): readonly string[] {
    return this.#keys.map((key) => signature(key, text, ["digest", ...place]).toString("hex"));
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

/** `keys`: the one to seal with, and behind commas earlier ones that are still read. */
export function sealWith(keys: string | undefined): Seal {
  const texts = (keys ?? "").split(",").map((key) => key.trim());
  const given = texts.filter((key) => key !== "");
  if (given.length === 0) return UNSEALED;
  if (given.some((key) => key.length < 32))
    throw keyProblem(
      "SEGNO_SEAL_KEY is too short to seal with: give at least 32 characters, as `openssl rand -hex 32` makes them.",
    );
  return new KeySeal(given.map(keyFrom));
}
