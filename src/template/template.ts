// A template ready to be rendered many times.

import type { Reference } from "./analysis/reference.ts";
import { templateReferences } from "./analysis/references.ts";
import { Cache } from "./cache.ts";
import { coerce } from "./coerce.ts";
import { metered } from "./limits.ts";
import { Output, type RenderOptions } from "./runtime/frame.ts";
import { compileTemplate, newFrame, newRun, type TemplateProgram } from "./runtime/program.ts";
import { runTemplate } from "./runtime/templates.ts";
import type { Context } from "./scope.ts";
import { isPath } from "./syntax/ast-tools.ts";
import { isText } from "./values/markup.ts";
import { toPlain } from "./values/plain.ts";
import { str } from "./values/repr.ts";

export interface Template {
  readonly source: string;
  /** False for text without any tag; rendering it gives the text. */
  readonly hasExpressions: boolean;
  /** Set if the source is one `{{ … }}` and nothing else: a bare path, or something computed. */
  readonly single: "path" | "expression" | undefined;
  readonly references: readonly Reference[];
  render(context: Context, options?: RenderOptions): string;
  /**
   * The value where a field wants one: of a single `{{ … }}` the value itself; text that was
   * computed or put together is coerced. Text without a tag is coerced as well: a field that
   * keeps such text as it is asks `hasExpressions` first.
   */
  value(context: Context, options?: RenderOptions): unknown;
}

const CACHE_SIZE = 1000;
const programs = new Cache<CompiledTemplate>(
  CACHE_SIZE,
  (source) => new CompiledTemplate(source, compileTemplate(source)),
);

/** Compiles a template, or finds it compiled. Raises a TemplateError with reason `syntax`. */
export function compile(source: string): Template {
  return programs.get(source);
}

function programOf(source: string): TemplateProgram {
  return programs.get(source).program;
}

class CompiledTemplate implements Template {
  private known: readonly Reference[] | undefined;

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

  value(context: Context, options?: RenderOptions): unknown {
    const { single } = this.program;
    if (!single) return coerce(this.render(context, options));
    return metered(options?.limits, () => {
      const value = single.evaluate(newFrame(context, options, programOf));
      if (!isText(value)) return toPlain(value);
      return this.single === "path" ? str(value) : coerce(str(value));
    });
  }
}
