// Ids of traces and spans are computed from the run and the place: a trace that is sent twice is the same trace, and a
// script can be given its span before anything of it is sent.
import { hash } from "node:crypto";

/** At once: an object that hashes lives until V8 collects its whole heap, and a long run has hundreds of thousands of ids. */
const hex = (length: number, ...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\0"), "hex").slice(0, length);

export const traceIdOf = (runId: string): string => hex(32, runId);

/** Each drive has a span of its own: what was sent cannot be changed when the run goes on. */
export const driveSpanId = (runId: string, drive: number): string => hex(16, runId, "", drive);

export const visitSpanId = (runId: string, key: string, drive: number): string => hex(16, runId, key, drive);

/** An attempt that was cut off and the one that replaces it have the same key; they are of different drives. */
export const attemptSpanId = (idempotencyKey: string, drive: number): string => hex(16, idempotencyKey, drive);
