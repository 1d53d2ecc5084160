// The one exit: every value that leaves the process passes a redactor. This file says what it promises.

export const REDACTED = "<redacted>";

export interface Redactor {
  /** The text without secrets. */
  text(text: string): string;
  /**
   * The value without secrets: itself when there was none, otherwise a copy of what changed. With `keys: "author"` names
   * of keys are not looked at: for the workflow's own `output` and for maps keyed by step or item name.
   */
  value(value: unknown, options?: { readonly keys?: "redact" | "author" }): unknown;
  /** Makes a value known as a secret from here on: a token in a header that a step sent. */
  learn(secret: string): void;
  /** For text that comes in chunks: a secret that is cut over two of them is caught. */
  stream(): RedactingStream;
}

export interface RedactingStream {
  /** What may be shown so far; the rest is held back until it can be told from the beginning of a secret. */
  push(chunk: string): string;
  end(): string;
}

export interface Secrets {
  /** Known values: redacted wherever they appear when they have 8 characters or more, otherwise as whole values. */
  readonly secrets: Iterable<string>;
  /** Values of `secret` inputs: redacted wherever they appear from 4 characters on. */
  readonly shortSecrets?: Iterable<string>;
}

export declare function createRedactor(secrets: Secrets): Redactor;
