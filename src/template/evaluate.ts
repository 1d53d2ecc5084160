import type { Reference } from "./analysis/expression-walker.ts";
import { expressionReferencesOf } from "./analysis/references.ts";
import { metered } from "./limits.ts";
import type { RenderOptions } from "./runtime/frame.ts";
import { compileExpressionSource, compileTemplate, type ExpressionProgram, newFrame } from "./runtime/program.ts";
import type { Context } from "./scope.ts";
import { Cache, compile } from "./template.ts";
import { toPlain } from "./values/plain.ts";

const expressions = new Cache<ExpressionProgram>(1000, (source) => compileExpressionSource(source));

/**
 * Renders a template.
 *
 * @example render("Hello {{ name }}", { name: "Ada" }) // "Hello Ada"
 */
export function render(source: string, context: Context, options?: RenderOptions): string {
  return compile(source).render(context, options);
}

/**
 * Evaluates an expression without braces to a plain value.
 *
 * @example evaluate("xs | map('upper') | list", { xs: ["a"] }) // ["A"]
 */
export function evaluate(expression: string, context: Context, options?: RenderOptions): unknown {
  const program = expressions.get(expression);
  return metered(options?.limits, () => toPlain(program.evaluate(newFrame(context, options, compileTemplate))));
}

/**
 * The paths a template reads from its context, with their places.
 *
 * @example references("{{ a.b }}") // [{ path: ["a", "b"], line: 1, column: 4, guarded: false }]
 */
export function references(source: string): readonly Reference[] {
  return compile(source).references;
}

/** The same of an expression without braces. */
export function expressionReferences(expression: string): readonly Reference[] {
  const { node, positions } = expressions.get(expression);
  return expressionReferencesOf(node, positions);
}
