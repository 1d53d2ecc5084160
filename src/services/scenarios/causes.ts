// Why a scenario failed: what went wrong in the run that the scenario neither scripts nor expects. It explains what differs
// better than the differences do, so it is said first.
import type { Envelope } from "../../errors/index.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { FrameState, RunState } from "../../events/state/state.ts";
import type { Result } from "../../results/result.ts";
import type { ScenarioFile } from "./schema.ts";

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
  if (failedUnexpectedly(scenario, result)) return [`the run failed: ${result.error}`];
  return mistakes(events.flatMap((event) => (event.type === "error_raised" ? [event.data.error] : [])));
}

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
