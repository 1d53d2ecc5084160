// Runs are found by their inputs without the store holding what these are: a run's row has a digest for each input.
import { createHash } from "node:crypto";

type Digest = (text: string) => string;

/** Enough that no two inputs of a store are likely to share a digest. */
const LENGTH = 16;

const plainDigest: Digest = (text) => createHash("sha256").update(text).digest("hex");

/** Runs are not found by lists, mappings and long texts: to digest these would make the start of a run slower. */
const LONGEST = 1000;

const isFindable = (value: unknown): value is string | number | boolean =>
  typeof value === "string" ? value.length <= LONGEST : typeof value === "number" || typeof value === "boolean";

/** The digests of all inputs, as a row has them. */
export const inputMarks = (inputs: Readonly<Record<string, unknown>>, digest: Digest = plainDigest): string =>
  Object.entries(inputs)
    .flatMap(([name, value]) =>
      isFindable(value) ? [digest(JSON.stringify([name, String(value)])).slice(0, LENGTH)] : [],
    )
    .join(" ");

/** For each wanted input the digests of which a row must have one. `1.50` is also found as the number 1.5. `digests`: one for each key. */
export const wantedMarks = (
  inputs: Readonly<Record<string, string>>,
  digests: (text: string) => readonly string[] = (text) => [plainDigest(text)],
): readonly (readonly string[])[] =>
  Object.entries(inputs).map(([name, text]) =>
    [...new Set([text, ...asNumber(text)])].flatMap((form) =>
      digests(JSON.stringify([name, form])).map((digest) => digest.slice(0, LENGTH)),
    ),
  );

const asNumber = (text: string): readonly string[] =>
  text.trim() === "" || Number.isNaN(Number(text)) ? [] : [String(Number(text))];
