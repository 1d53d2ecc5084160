// The key by which other programs know an attempt. An item's id may be any text, but environments and headers take no
// line break and no long text.
import { createHash } from "node:crypto";

/** `ordinal` counts attempts that ended, so one that was cut off hands its key on. */
export const idempotencyKey = (runId: string, key: string, ordinal: number): string =>
  `${runId}:${bounded(harmless(key))}:${ordinal}`;

/** The same of a hook, which is tried once. */
export const hookIdempotencyKey = (runId: string, key: string): string => `${runId}:${bounded(harmless(key))}`;

/** Two keys stay two: a `%` of an item's id is `%25` in its key already. */
const harmless = (key: string): string =>
  key.replace(/[^ -~]/gu, (character) =>
    /\p{Surrogate}/u.test(character)
      ? `%u${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(character),
  );

/** Linux starts no process with 128 KiB in one variable, and servers refuse headers long before. */
const LONGEST = 1000;

/** Of a long key its beginning and a digest of it all: longer than any that stands as it is, so that two keys stay two. */
const bounded = (key: string): string =>
  key.length <= LONGEST ? key : `${key.slice(0, LONGEST)}%sha256:${createHash("sha256").update(key).digest("hex")}`;
