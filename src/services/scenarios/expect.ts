// Holds a run against a scenario's `expected_trace`: every difference is a sentence.
import { isMapping } from "../../errors/mapping.ts";
import type { ExpectedTrace } from "./schema.ts";
import type { ScenarioTrace } from "./trace.ts";

export interface Reached {
  readonly trace: ScenarioTrace;
  readonly status: string;
  readonly exit_code: number | null;
  readonly output: unknown;
  /** The terminate step that ended it. */
  readonly terminated_by: string | null;
  /** Virtual. */
  readonly waits_seconds: number;
}

type Check = (expected: unknown, reached: Reached) => readonly string[];

const TERMINAL: ReadonlySet<string> = new Set(["completed", "degraded", "terminated"]);

const list =
  (name: keyof ScenarioTrace): Check =>
  (expected, { trace }) =>
    inOrder(name, asList(expected), trace[name] as readonly unknown[]);

const equal =
  (name: "status" | "exit_code"): Check =>
  (expected, reached) =>
    expected === reached[name] ? [] : [`${name} is ${shown(reached[name])}, expected ${shown(expected)}`];

const CHECKS: Readonly<Record<keyof ExpectedTrace, Check>> = {
  agents_executed: list("agents_executed"),
  scripts_executed: list("scripts_executed"),
  gates_presented: list("gates_presented"),
  routes_taken: (expected, { trace }) =>
    inOrder(
      "routes_taken",
      asList(expected).map((route) => String(route).replace(/\s*(->|→)\s*/, " -> ")),
      trace.routes_taken,
    ),
  errors_raised: list("errors_raised"),
  gates_resolved: (expected, { trace }) => missing("gates_resolved", textValues(expected), trace.gates_resolved),
  gates_reminded: (expected, { trace }) =>
    isMapping(expected)
      ? missing("gates_reminded", expected, trace.gates_reminded)
      : [`gates_reminded says how often each gate reminded, such as { ask: 2 }, and not ${shown(expected)}`],
  waits_seconds: (expected, { waits_seconds }) =>
    Math.abs(Number(expected) - waits_seconds) < 0.001
      ? []
      : [`waits_seconds is ${waits_seconds}, expected ${shown(expected)}`],
  reached_terminal: (expected, { status, terminated_by }) => {
    // A name is that of the step that ended the workflow.
    if (typeof expected === "string")
      return expected === terminated_by || (expected === "$end" && !terminated_by && TERMINAL.has(status))
        ? []
        : [`the run ended as ${status}, by ${terminated_by ?? "no terminate step"}, expected ${expected}`];
    if (typeof expected !== "boolean")
      return [`reached_terminal is true, false or the name of a terminate step, not ${shown(expected)}`];
    return TERMINAL.has(status) === expected
      ? []
      : [`the run ended as ${status}, which is ${expected ? "no" : "an"} end of the workflow`];
  },
  status: equal("status"),
  exit_code: equal("exit_code"),
  output_contains: (expected, { output }) => missing("output", expected, output),
  output: (expected, { output }) =>
    same(expected, output) ? [] : [`output is ${shown(output)}, expected ${shown(expected)}`],
};

export function differencesFrom(expected: ExpectedTrace, reached: Reached): readonly string[] {
  return (Object.keys(expected) as (keyof ExpectedTrace)[]).flatMap((name) => CHECKS[name](expected[name], reached));
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** An ordered subsequence: other entries may stand in between. */
function inOrder(name: string, expected: readonly unknown[], actual: readonly unknown[]): readonly string[] {
  let at = 0;
  for (const wanted of expected) {
    while (at < actual.length && missing("", wanted, actual[at]).length > 0) at++;
    if (at === actual.length)
      return [
        `${name}: ${shown(wanted)} did not happen${expected.length > 1 ? " in this order" : ""}; it was ${shown(actual)}`,
      ];
    at++;
  }
  return [];
}

/** Where `actual` lacks what `expected` says: mappings are subsets, everything else is equal. */
function missing(path: string, expected: unknown, actual: unknown): readonly string[] {
  if (isMapping(expected)) {
    if (!isMapping(actual)) return [`${path} is ${shown(actual)}, expected ${shown(expected)}`];
    return Object.entries(expected).flatMap(([key, value]) =>
      missing(path ? `${path}.${key}` : key, value, actual[key]),
    );
  }
  return same(expected, actual) ? [] : [`${path} is ${shown(actual)}, expected ${shown(expected)}`];
}

const textValues = (value: unknown): unknown =>
  isMapping(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, isMapping(one) ? String(one.value) : String(one)]),
      )
    : value;

const same = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => same(one, b[index]));
  if (isMapping(a))
    return (
      isMapping(b) &&
      Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((key) => same(a[key], b[key]))
    );
  return a === b;
};

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
};
