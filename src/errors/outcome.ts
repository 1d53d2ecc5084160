// What an attempt at a step came to. Executors return it; they do not throw for things that happen to users.
import type { Raised } from "./envelope.ts";

export type Outcome =
  | { readonly ok: true; readonly output: unknown }
  /** `output` is what the step produced before it raised; absent when there was none. */
  | { readonly ok: false; readonly error: Raised; readonly output?: unknown };

export const succeeded = (output: unknown): Outcome => ({ ok: true, output });

export const failed = (error: Raised, output?: unknown): Outcome =>
  output === undefined ? { ok: false, error } : { ok: false, error, output };
