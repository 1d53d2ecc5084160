// What a run did, as scenarios speak of it, held against a scenario's `expected_trace`: every difference is a sentence.
import { isDeepStrictEqual } from "node:util";
import type { Envelope } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { askerName } from "../../base/events/asker-name.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import type { FrameState, RunState } from "../../base/events/state/state.ts";
import type { VisitRecord } from "../../base/events/visits/visit-record.ts";
import type { Result } from "../../base/results/result.ts";
import type { ExpectedTrace, ScenarioFile } from "./schema.ts";

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
    isDeepStrictEqual(expected, output) ? [] : [`output is ${shown(output)}, expected ${shown(expected)}`],
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
  return isDeepStrictEqual(expected, actual) ? [] : [`${path} is ${shown(actual)}, expected ${shown(expected)}`];
}

const textValues = (value: unknown): unknown =>
  isMapping(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, isMapping(one) ? String(one.value) : String(one)]),
      )
    : value;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
};

// Why a scenario failed: what went wrong in the run that the scenario neither scripts nor expects. It explains what differs
// better than the differences do, so it is said first.

/** Kinds that tell of a mistake in the scenario, the workflow or the machine, not of something that a test is about. */
const MISTAKES: ReadonlySet<string> = new Set([
  "internal.command_not_found",
  "internal.resource_exhausted",
  "internal.schema_violation",
  "internal.template_error",
  "internal.bad_value",
  "internal.undeclared_kind",
  "internal.no_route",
]);

/** An error that a route took is a cause only when there is no unhandled one. */
export function causesOf(scenario: ScenarioFile, result: Result, events: readonly RunEvent[]): readonly string[] {
  const wanted = wantedKinds(scenario);
  const mistakes = (raised: readonly Raised[]): readonly string[] => [
    ...new Set(raised.filter(({ kind }) => kind && MISTAKES.has(kind) && !wanted.has(kind)).map(sentence)),
  ];
  const unhandled = mistakes(result.errors);
  if (unhandled.length > 0) return unhandled;
  if (failedUnexpectedly(scenario, result)) return [`the run failed: ${result.error}${okExitCodes(result)}`];
  return mistakes(events.flatMap((event) => (event.type === "error_raised" ? [event.data.error] : [])));
}

/** Of a scenario that was written before a failing script raised. */
const okExitCodes = ({ errors }: Result): string =>
  errors.some(({ kind }) => kind === "internal.script_error")
    ? "; if that exit code is no failure, add `ok_exit_codes` to the step"
    : "";

/** Answers that did not count, and why. */
export const refusalsIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap(({ type, data }) =>
    type === "gate_refused"
      ? [`the answer of ${data.answered_by} to ${data.agent_name} was refused: ${data.reason}`]
      : [],
  );

/** Between what went wrong first and the call without a script that it led to. */
export const AFTER_THAT = "; after that, ";

/** Mistakes that the steps of a run ended with, also handled ones: a handler that is not scripted is not the point. */
export function mistakesIn(scenario: ScenarioFile, { root }: RunState): readonly string[] {
  const wanted = wantedKinds(scenario);
  return [...errorsIn(root)].filter(({ kind }) => MISTAKES.has(kind) && !wanted.has(kind)).map(sentence);
}

function* errorsIn({ nodes }: FrameState): Iterable<Envelope> {
  for (const node of nodes.values())
    for (const one of [node, ...(node.group?.members.values() ?? [])]) {
      if (one.frame) yield* errorsIn(one.frame);
      if (one.error) yield one.error;
    }
}

type Raised = Pick<Result["errors"][number], "kind" | "message" | "raised_at">;

const sentence = ({ kind, message, raised_at }: Raised): string =>
  `${raised_at?.node ?? "the workflow's output"} raised ${kind}: ${message}`;

function failedUnexpectedly({ expected_trace }: ScenarioFile, result: Result): boolean {
  const { success, error, status, exit_code, errors } = result;
  const { status: expected, exit_code: code } = expected_trace ?? {};
  const isUnscripted = errors.some(({ error_type }) => error_type === "ScenarioError");
  return !success && error !== null && !isUnscripted && expected !== status && code !== exit_code;
}

/** Kinds that the scenario makes happen, or waits for. */
function wantedKinds({ inject, agent_scripts, expected_trace, ...lists }: ScenarioFile) {
  const { cli_scripts, http_scripts, mcp_scripts, step_scripts } = lists;
  const listed = [...inject, ...cli_scripts, ...http_scripts, ...mcp_scripts, ...step_scripts];
  const scripts = [...listed, ...Object.values(agent_scripts).flat()];
  const expected = [expected_trace?.errors_raised ?? []].flat() as readonly unknown[];
  return new Set([
    ...scripts.flatMap(({ error }) => (error ? [error.kind] : [])),
    ...expected.flatMap((one) => (typeof one === "object" && one !== null && "kind" in one ? [String(one.kind)] : [])),
  ]);
}

interface ScenarioTrace {
  /** Every step of any type, each attempt, in order of time; steps of sub-workflows by their plain names. */
  readonly agents_executed: readonly string[];
  readonly scripts_executed: readonly string[];
  readonly gates_presented: readonly string[];
  /** By the plain name of the step, the last answer; by its name with item and child, its own. */
  readonly gates_resolved: Readonly<Record<string, string>>;
  /** How many reminders were sent for each gate or questions step that waited; by the same names. */
  readonly gates_reminded: Readonly<Record<string, number>>;
  /** `from -> to`. */
  readonly routes_taken: readonly string[];
  readonly errors_raised: readonly { readonly node: string; readonly kind: string }[];
}

/** What happened to visits of any step, in order of time. */
function inTime<Entry>(
  visits: readonly VisitRecord[],
  entriesOf: (visit: VisitRecord) => readonly { readonly seq: number; readonly entry: Entry }[],
): Entry[] {
  const all = visits.flatMap(entriesOf);
  return all.sort((a, b) => a.seq - b.seq).map(({ entry }) => entry);
}

function remindersOf(visits: readonly VisitRecord[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { node, key, history } of visits) {
    if (!history || history.asked.length === 0) continue;
    for (const name of new Set([node, askerName(key)])) counts[name] = (counts[name] ?? 0) + history.reminders.length;
  }
  return counts;
}

export function scenarioTrace(visits: readonly VisitRecord[]): ScenarioTrace {
  const attempts = inTime(visits, ({ node, attempts }) =>
    attempts.flatMap(({ began, type }) => (began ? { seq: began.seq, entry: { node, type } } : [])),
  );
  const answers = inTime(visits, ({ node, key, history }) =>
    (history?.answers ?? []).flatMap(({ seq, option }) =>
      option === undefined
        ? []
        : [...new Set([node, askerName(key)])].map((name) => ({ seq, entry: [name, option] as const })),
    ),
  );
  return {
    agents_executed: attempts.map(({ node }) => node),
    scripts_executed: attempts.filter(({ type }) => type === "script").map(({ node }) => node),
    gates_presented: inTime(visits, ({ node, history }) =>
      (history?.asked ?? []).map(({ seq }) => ({ seq, entry: node })),
    ),
    gates_resolved: Object.fromEntries(answers),
    gates_reminded: remindersOf(visits),
    routes_taken: inTime(visits, ({ history }) =>
      (history?.routes ?? []).map(({ seq, route }) => ({ seq, entry: `${route.from_agent} -> ${route.to_agent}` })),
    ),
    errors_raised: inTime(visits, ({ node, history }) =>
      (history?.errors ?? []).map(({ seq, error }) => ({ seq, entry: { node, kind: error.kind } })),
    ),
  };
}
