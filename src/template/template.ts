// A template ready to be rendered many times.
import type { Reference } from "./analysis/expression-walker.ts";
import { templateReferences } from "./analysis/references.ts";
import { coerce } from "./coerce.ts";
import { metered } from "./limits.ts";
import { Output, type RenderOptions } from "./runtime/frame.ts";
import { bodiesOf } from "./runtime/paths.ts";
import { compileTemplate, newFrame, newRun, type TemplateProgram } from "./runtime/program.ts";
import { runTemplate } from "./runtime/templates.ts";
import { type Body, endsInString, isPath, type Statement } from "./syntax/ast.ts";
import { str, toPlain } from "./values/repr.ts";
import { type Context, isText } from "./values/value.ts";

/** The last few things made, by the text they were made from. */
export class Cache<T> {
  private readonly entries = new Map<string, T>();

  constructor(
    private readonly size: number,
    private readonly make: (key: string) => T,
  ) {}

  get(key: string): T {
    const known = this.entries.get(key);
    if (known !== undefined) {
      // Moved to the end, so that the first entry is the one unused for longest.
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    const made = this.make(key);
    this.entries.set(key, made);
    if (this.entries.size > this.size) this.entries.delete(this.entries.keys().next().value!);
    return made;
  }
}

/** Whether a text is a template at all; most texts of a workflow are what they are. */
export const hasTags = (source: string): boolean => /\{[{%#]/.test(source);

export interface Template {
  readonly source: string;
  /** False for text without any tag; rendering it gives the text. */
  readonly hasExpressions: boolean;
  /** Set if the source is one `{{ … }}` and nothing else: a bare path, or something computed. */
  readonly single: "path" | "expression" | undefined;
  readonly references: readonly Reference[];
  render(context: Context, options?: RenderOptions): string;
  /** Whether its text stays text: that of a bare path, and what was made a string (`{{ n | string }}`). */
  readonly keepsText: boolean;
  /**
   * The value where a field wants one: of a single `{{ … }}` the value itself; text that was
   * computed or put together is coerced, unless `keepsText`. Text without a tag is coerced as
   * well: a field that keeps such text as it is asks `hasExpressions` first.
   */
  value(context: Context, options?: RenderOptions): unknown;
  /** The same before its text is coerced. */
  uncoerced(context: Context, options?: RenderOptions): unknown;
}

const CACHE_SIZE = 1000;
const programs = new Cache<CompiledTemplate>(
  CACHE_SIZE,
  (source) => new CompiledTemplate(source, compileTemplate(source)),
);

/** Compiles a template, or finds it compiled. Raises a TemplateError with reason `syntax`. */
export const compile = (source: string): Template => programs.get(source);

const programOf = (source: string): TemplateProgram => programs.get(source).program;

class CompiledTemplate implements Template {
  private known: readonly Reference[] | undefined;
  private madeText: boolean | undefined;

  constructor(
    readonly source: string,
    readonly program: TemplateProgram,
  ) {}

  get hasExpressions(): boolean {
    return this.program.ast.body.some((node) => node.type !== "text");
  }

  get single(): "path" | "expression" | undefined {
    const { single } = this.program;
    if (!single) return undefined;
    return isPath(single.node) ? "path" : "expression";
  }

  get references(): readonly Reference[] {
    this.known ??= templateReferences(this.program.ast, this.program.positions);
    return this.known;
  }

  render(context: Context, options?: RenderOptions): string {
    return metered(options?.limits, () => {
      const out = new Output();
      runTemplate(this.program, newRun(context, options, programOf), out);
      return out.text;
    });
  }

  get keepsText(): boolean {
    return this.single === "path" || this.isMadeText;
  }

  private get isMadeText(): boolean {
    this.madeText ??= isMadeText(this.program.ast.body);
    return this.madeText;
  }

  value(context: Context, options?: RenderOptions): unknown {
    const value = this.uncoerced(context, options);
    return typeof value === "string" && !this.keepsText ? coerce(value) : value;
  }

  uncoerced(context: Context, options?: RenderOptions): unknown {
    const { single } = this.program;
    if (!single) {
      const text = this.render(context, options);
      return this.isMadeText ? text.trim() : text;
    }
    return metered(options?.limits, () => {
      const value = single.evaluate(newFrame(context, options, programOf));
      return isText(value) ? str(value) : toPlain(value);
    });
  }
}

/** Everything that it prints ends in `| string`: blanks and other tags around it make it no less a string. */
function isMadeText(body: Body): boolean {
  const printed = printedIn(body);
  return printed.some(({ type }) => type === "output") && printed.every(isMadeString);
}

const printedIn = (body: Body): Statement[] =>
  body.flatMap((node) => (node.type === "text" || node.type === "output" ? [node] : bodiesOf(node).flatMap(printedIn)));

const isMadeString = (node: Statement): boolean =>
  node.type === "output" ? endsInString(node.value) : node.type === "text" && node.text.trim() === "";
