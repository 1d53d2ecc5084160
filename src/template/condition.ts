// `when:` of a route: a template with braces, or a bare expression in the words of
// Python, with flattened names and C's `&&`, `||` and `!`.
import type { Reference } from "./analysis/expression-walker.ts";
import { expressionReferencesOf } from "./analysis/references.ts";
import { fail } from "./error.ts";
import { FILTERS } from "./filters/filters.ts";
import { round, toFloat, toInteger } from "./filters/number-filters.ts";
import { metered } from "./limits.ts";
import type { Frame, RenderOptions } from "./runtime/frame.ts";
import { GLOBALS } from "./runtime/globals.ts";
import { compileExpressionSource, compileTemplate, type ExpressionProgram, newFrame } from "./runtime/program.ts";
import { Cache, compile } from "./template.ts";
import { isTrue, sorted } from "./values/compare.ts";
import { entryOf, isDictionary, itemsOf, length } from "./values/dict.ts";
import { float } from "./values/float.ts";
import { str, toPlain } from "./values/repr.ts";
import { type Args, Callable, type Host, operation, wholeNumber } from "./values/thing.ts";
import { aTypeWord, type Context, MISSING, type Value } from "./values/value.ts";

export interface Condition {
  readonly source: string;
  /** Without braces: an expression. */
  readonly bare: boolean;
  readonly references: readonly Reference[];
  /** Raises a TemplateError where a name does not exist. */
  test(context: Context): boolean;
}

const conditions = new Cache<Condition>(1000, (source) => (hasBraces(source) ? rendered(source) : bare(source)));

/**
 * Compiles the condition of a route.
 *
 * @example compileCondition("exit_code == 0 && !skipped").test({ exit_code: 0, skipped: false }) // true
 */
export const compileCondition = (source: string): Condition => conditions.get(source);

const hasBraces = (source: string): boolean =>
  (source.includes("{{") && source.includes("}}")) || source.includes("{%");

const FALSE_WORDS: ReadonlySet<string> = new Set(["false", "0", "no", ""]);

/** Any text but false, 0, no and nothing is true. */
function rendered(source: string): Condition {
  const template = compile(source);
  return {
    source,
    bare: false,
    get references() {
      return template.references;
    },
    test: (context) => !FALSE_WORDS.has(template.render(context).trim().toLowerCase()),
  };
}

function bare(source: string): Condition {
  const { node, positions, evaluate } = compileExpressionSource(source, "condition", CONDITION_GLOBALS, flattened);
  let known: readonly Reference[] | undefined;
  return {
    source,
    bare: true,
    get references() {
      known ??= expressionReferencesOf(node, positions, CONDITION_GLOBALS);
      return known;
    },
    test: (context) => metered(undefined, () => isTrue(evaluate(newFrame(context, undefined, compileTemplate)))),
  };
}

function flattened(name: string, frame: Frame): Value {
  const valueAt = (path: readonly string[]): Value => {
    let value: Value = frame.run.scope.get(path[0]!);
    for (const part of path.slice(1)) value = isDictionary(value) ? entryOf(value, part) : MISSING;
    return value;
  };
  const path = resolveFlattened(name, (candidate) => valueAt(candidate) !== MISSING);
  return path ? valueAt(path) : MISSING;
}

function callable(name: string, run: (value: Value, rest: Args, host: Host) => Value): readonly [string, Value] {
  const invoke = (args: Args, host: Host): Value => {
    const [value, ...positional] = args.positional;
    if (value === undefined) return fail("type", `'${name}' needs a value.`);
    return run(value, { ...args, positional }, host);
  };
  return [name, new Callable(name, invoke)];
}

const needed = <T>(result: T | undefined, value: Value, what: string): T =>
  result ?? fail("type", `${aTypeWord(value)} ${JSON.stringify(str(value))} is no ${what}.`);

function extreme(name: "min" | "max"): readonly [string, Value] {
  return callable(name, (value, { positional }) => {
    const items = positional.length > 0 ? [value, ...positional] : itemsOf(value);
    const ordered = sorted(items, (item) => item, name === "max");
    return ordered[0] === undefined ? fail("type", `'${name}' of nothing.`) : ordered[0];
  });
}

const rounded = operation(["digits?"], (value, [digits]) =>
  digits === undefined || digits === null ? toInteger(round(value, 0)) : round(value, wholeNumber(digits, 0)),
);

/** The functions of Python that people write in bare conditions. */
const CONDITION_GLOBALS: ReadonlyMap<string, Value> = new Map([
  ...GLOBALS,
  callable("int", (value) => needed(toInteger(value), value, "whole number")),
  callable("float", (value) => float(needed(toFloat(value), value, "number"))),
  callable("str", (value) => str(value)),
  callable("bool", (value) => isTrue(value)),
  callable("len", (value) => length(value)),
  callable("abs", (value, args, host) => FILTERS.get("abs")!(value, args, host)),
  callable("round", rounded),
  callable("sum", (value, args, host) => FILTERS.get("sum")!(value, args, host)),
  extreme("min"),
  extreme("max"),
]);

// `planner_output_score` for `planner.output.score`: bare conditions may name a value
// with underscores instead of dots. Step names have underscores too, so all cuts are tried.

/** More parts than any name has; bounds the search. */
const MAX_PARTS = 24;

/**
 * The path a flattened name stands for, or undefined. `has` says whether a path exists;
 * the longest name that exists is taken at each level.
 *
 * @example resolveFlattened("my_step_output_x", has) // ["my_step", "output", "x"]
 */
export function resolveFlattened(name: string, has: (path: readonly string[]) => boolean): string[] | undefined {
  const parts = name.split("_");
  if (parts.length < 2 || parts.length > MAX_PARTS) return undefined;
  let tries = 0;
  const search = (path: readonly string[], from: number): string[] | undefined => {
    for (let to = parts.length; to > from; to--) {
      if (++tries > 1000) return undefined;
      const next = [...path, parts.slice(from, to).join("_")];
      if (!has(next)) continue;
      const found = to === parts.length ? next : search(next, to);
      if (found) return found;
    }
    return undefined;
  };
  return search([], 0);
}

const expressions = new Cache<ExpressionProgram>(1000, (source) => compileExpressionSource(source));

/**
 * Renders a template.
 *
 * @example render("Hello {{ name }}", { name: "Ada" }) // "Hello Ada"
 */
export const render = (source: string, context: Context, options?: RenderOptions): string =>
  compile(source).render(context, options);

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
export const references = (source: string): readonly Reference[] => compile(source).references;

/** The same of an expression without braces. */
export function expressionReferences(expression: string): readonly Reference[] {
  const { node, positions } = expressions.get(expression);
  return expressionReferencesOf(node, positions);
}
