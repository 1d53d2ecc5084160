// `when:` of a route: a template with braces, or a bare expression in the words of
// Python, with flattened names and C's `&&`, `||` and `!`.

import type { Reference } from "./analysis/reference.ts";
import { expressionReferencesOf } from "./analysis/references.ts";
import { Cache } from "./cache.ts";
import { CONDITION_GLOBALS } from "./condition-functions.ts";
import { resolveFlattened } from "./flattened.ts";
import { metered } from "./limits.ts";
import type { Frame } from "./runtime/frame.ts";
import { compileExpressionSource, compileTemplate, newFrame } from "./runtime/program.ts";
import { type Context, MISSING } from "./scope.ts";
import { compile } from "./template.ts";
import { entryOf, isDictionary } from "./values/dictionary.ts";
import { isTrue } from "./values/truth.ts";
import type { Value } from "./values/value.ts";

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
export function compileCondition(source: string): Condition {
  return conditions.get(source);
}

function hasBraces(source: string): boolean {
  return (source.includes("{{") && source.includes("}}")) || source.includes("{%");
}

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
