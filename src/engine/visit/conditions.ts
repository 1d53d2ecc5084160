// Evaluating `when:`: which names it sees, and what it saw, for people who ask why a route was not taken.
import type { AgentChanges, Envelope } from "../../base/errors/index.ts";
import { type Condition, compileCondition, MISSING, type Scope } from "../../template/index.ts";
import { agentView } from "../context/context.ts";
import { bareNames, layered, lookUp, type Names, NO_NAMES, over } from "../context/scope.ts";
import { templateFailure } from "../context/visible.ts";
import type { Test, Tested } from "./routes.ts";

const compiled = new Map<string, Condition>();

function conditionOf(source: string): Condition {
  let condition = compiled.get(source);
  if (!condition) {
    condition = compileCondition(source);
    if (compiled.size > 5_000) compiled.clear();
    compiled.set(source, condition);
  }
  return condition;
}

/** Whether a condition asks for the error of its step: `error.kind == 'http.status'`, or flattened `error_kind`. */
export const readsError = (source: string): boolean =>
  conditionOf(source).references.some(({ path: [root] }) => /^error(_|$)/.test(String(root)));

/** What a step gave, as its own routes and rules name it. */
export interface OwnNames {
  readonly output: unknown;
  readonly changes?: AgentChanges | undefined;
}

/** After all other names: a step may be called `changes`, and an output may have such a field. */
export const changesOf = ({ changes }: Pick<OwnNames, "changes">): Names => (changes ? agentView(changes) : NO_NAMES);

/**
 * Conditions of a step's routes and `raise_when` rules. `output` is that step's own; on an error route `error` and the
 * envelope's fields come first, then the output's fields, then the names of steps. Where the step has no error of its own,
 * `error` is the one that led to it (`ledBy`); a field of its output that has this name comes before that in a bare
 * condition, as it does before the names of steps.
 */
export function conditionsOf(
  base: Scope,
  given: OwnNames,
  error: Envelope | undefined,
  locals: Names = NO_NAMES,
  ledBy?: Envelope,
): Test {
  const { output } = given;
  const led: Names = ledBy ? { error: ledBy } : NO_NAMES;
  const own: Names = error
    ? output === undefined
      ? { error }
      : { output, error }
    : output === undefined
      ? {}
      : { output };
  return (source): Tested => {
    try {
      const condition = conditionOf(source);
      const scope = condition.bare
        ? layered(own, error ? bareNames(error) : {}, locals, bareNames(output), over(led, base), changesOf(given))
        : layered(own, over(locals, over(led, base)), changesOf(given));
      return { value: condition.test(scope), saw: () => seen(condition, scope) };
    } catch (problem) {
      return { error: templateFailure(problem, source) };
    }
  };
}

function seen(condition: Condition, scope: Scope): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { path } of condition.references) {
    const value = lookUp(scope, path);
    values[path.join(".")] = value === MISSING ? "undefined" : shortened(value);
  }
  return values;
}

const shortened = (value: unknown): unknown => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text !== undefined && text.length > 200 ? `${text.slice(0, 199)}…` : value;
};
