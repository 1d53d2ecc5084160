// The one error that leaves this folder, with what a person or an agent needs to repair the template: what was written,
// what is missing, what is there. And remarks, which are no errors.

export type TemplateErrorReason = "undefined" | "syntax" | "limit" | "type";

export interface TemplateErrorDetails {
  /** The whole path as written, e.g. `fetch.output.resutl`. */
  readonly path?: string;
  /** The part of the path that is missing, e.g. `resutl`. */
  readonly missing?: string;
  /** The path up to the missing part, e.g. `fetch.output`. */
  readonly parentPath?: string;
  /** What the parent is: mapping, list, text, number, boolean, none … */
  readonly parentType?: string;
  /** The names that exist where the lookup failed. */
  readonly available?: readonly string[];
  /** Source text of the failing expression. */
  readonly expression?: string;
  /** 1-based; 0 until the place is known. */
  readonly line?: number;
  readonly column?: number;
  /** Name of the included or imported template the place is in. */
  readonly template?: string;
}

export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly reason: TemplateErrorReason;
  readonly path: string | undefined;
  readonly missing: string | undefined;
  readonly parentPath: string | undefined;
  readonly parentType: string | undefined;
  readonly available: readonly string[] | undefined;
  readonly expression: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly template: string | undefined;
  /** The whole text that the place is in, when it is not in an included one: see `placedInText`. */
  readonly text: string | undefined;

  constructor(reason: TemplateErrorReason, message: string, details: TemplateErrorDetails = {}) {
    super(message);
    this.reason = reason;
    this.path = details.path;
    this.missing = details.missing;
    this.parentPath = details.parentPath;
    this.parentType = details.parentType;
    this.available = details.available;
    this.expression = details.expression;
    this.line = details.line ?? 0;
    this.column = details.column ?? 0;
    this.template = details.template;
    this.text = undefined;
  }
}

export function fail(reason: TemplateErrorReason, message: string, details?: TemplateErrorDetails): never {
  throw new TemplateError(reason, message, details);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Adds the place to an error that was raised by a value operation, which does
 * not know where in the template it was written. What is known already stays.
 */
export function placed(error: unknown, place: () => TemplateErrorDetails): unknown {
  if (!(error instanceof TemplateError)) return error;
  if (error.line > 0 && error.expression !== undefined) return error;
  const { line = 0, column = 0, expression, template } = place();
  const open = error as Mutable<TemplateError>;
  if (error.line === 0) {
    open.line = line;
    open.column = column;
    open.template = template;
  }
  open.expression ??= expression;
  return error;
}

/** Notes in which included template the place of an error is. */
export function placedIn(error: unknown, template: string): unknown {
  if (error instanceof TemplateError && error.line > 0) (error as Mutable<TemplateError>).template ??= template;
  return error;
}

/** Notes the text that was rendered, by which a reader finds the field of the file that it stands in. */
export function placedInText(error: unknown, text: string): unknown {
  if (error instanceof TemplateError && error.template === undefined) (error as Mutable<TemplateError>).text ??= text;
  return error;
}

type Listener = (message: string) => void;

let listener: Listener | undefined;

/** Runs `work`, which renders templates, and hands every remark to `listen`. */
export function withRemarks<T>(listen: Listener, work: () => T): T {
  const before = listener;
  listener = listen;
  try {
    return work();
  } finally {
    listener = before;
  }
}

/** What there is to say is worked out only where there is a listener. */
export function remark(message: () => string | undefined): void {
  if (!listener) return;
  const said = message();
  if (said !== undefined) listener(said);
}
