// From what an executor reports to what the step's outcome is (opting in, the author's `raise_when` rules, declared kinds),
// and from its error to an envelope with its place. The same rules for every step type.
import {
  causedBy,
  type Envelope,
  envelope,
  type GroupPlace,
  isEngineKind,
  type Outcome,
  type Raised,
  raised,
} from "../../base/errors/index.ts";
import type { RaiseWhen, Route, Step } from "../../language/schema/index.ts";
import { isFailedExit, type OptingIn, optingIn, raisesSchemaViolation } from "../../language/schema/opting-in.ts";
import { renderMapping, renderText } from "../../steps/values.ts";
import type { Scope } from "../../template/index.ts";
import { layered } from "../context/scope.ts";
import { templateFailure } from "../context/visible.ts";
import type { Visit, WorkflowFrame } from "../frame.ts";
import { changesOf, type OwnNames, readsError } from "./conditions.ts";
import type { Test } from "./routes.ts";
import { type Member, placeInGroup, routesOf } from "./work.ts";

export type SettledOutcome =
  /** With the exit code of a script that failed and did not opt in: it counts as done, and people should see it. */
  | { readonly ok: true; readonly output: unknown; readonly exitCode?: number }
  | { readonly ok: false; readonly error: Raised; readonly output?: unknown; readonly unopted?: true };

/** How a step of this file opts in to typed errors; `groupRoutes` are those of the group that it runs in. */
export const optingInOfStep = (frame: WorkflowFrame, step: Step, groupRoutes: readonly Route[] = []): OptingIn =>
  optingIn(step, [...routesOf(step), ...groupRoutes], frame.workflow.definition);

const raisesOf = (step: Step): readonly string[] | undefined => ("raises" in step ? step.raises : undefined);
const rulesOf = (step: Step): readonly RaiseWhen[] => ("raise_when" in step ? (step.raise_when ?? []) : []);
/** Whether the author's rules have a say in what an outcome is. */
export const hasRules = (step: Step): boolean => rulesOf(step).length > 0;

/** What a server refuses keeps its kind, unless a rule asks for the error: its body is seldom the one that rules expect. */
const REFUSED: ReadonlySet<string> = new Set(["http.status", "http.unavailable"]);

/** Failures after which the author's rules are still read: the attempt finished, and the engine only says how. */
const FINISHED: ReadonlySet<string> = new Set([...REFUSED, "internal.script_error", "mcp.tool_error"]);

export interface Settling {
  readonly step: Step;
  readonly optingIn: OptingIn;
  readonly scope: Scope;
  conditions(own: OwnNames, error: Envelope | undefined): Test;
  /** Stamps the engine's own error, so that rules can read `error`. */
  stamp(error: Raised): Envelope;
}

export function settleOutcome(outcome: Outcome, by: Settling): SettledOutcome {
  if (outcome.ok || (FINISHED.has(outcome.error.kind) && !isNeverRun(outcome.error))) {
    const classified = classify(outcome, by);
    if (classified) return classified;
  }
  if (outcome.ok) return outcome;
  const { error, output } = outcome;
  // What crossed from a child has a place already: it is an envelope, whatever this step opted in to.
  if ("raised_at" in error) return { ok: false, error: declared(error, by), output };
  const code = Number(error.details.exit_code);
  const isExit = error.kind === "internal.script_error" && !isNeverRun(error);
  if (isExit && !isFailedExit(by.optingIn, { code, signal: error.details.signal }))
    return outcome.misfit
      ? { ok: false, error: outcome.misfit, output, unopted: true }
      : { ok: true, output, exitCode: code };
  if (error.kind === "internal.schema_violation" && !raisesSchemaViolation(by.optingIn) && !isMalformedEnvelope(error))
    return { ok: false, error, output, unopted: true };
  return { ok: false, error: declared(error, by), output };
}

/** A script that the system did not start has no exit code that could be data. */
const isNeverRun = ({ kind, details }: Raised): boolean =>
  kind === "internal.script_error" && details.exit_code === null;

/** A malformed envelope is a failure whether or not the step opted in: the step tried to raise. */
const isMalformedEnvelope = (error: Raised): boolean =>
  error.details.source === "error_channel" || error.details.malformed_envelope === true;

/** The rules that are read for an outcome. */
function rulesFor(outcome: Outcome, { step, optingIn: { semantics } }: Settling): readonly RaiseWhen[] {
  const rules = rulesOf(step);
  const isRefused = !outcome.ok && REFUSED.has(outcome.error.kind);
  return isRefused && !semantics.readsRulesForRefusals ? rules.filter(({ when }) => readsError(when)) : rules;
}

function classify(outcome: Outcome, by: Settling): SettledOutcome | undefined {
  const rules = rulesFor(outcome, by);
  if (rules.length === 0) return undefined;
  const error = outcome.ok ? undefined : by.stamp(outcome.error);
  const test = by.conditions({ output: outcome.output, changes: outcome.changes }, error);
  for (const rule of rules) {
    const tested = test(rule.when);
    if ("error" in tested) return { ok: false, error: tested.error, output: outcome.output };
    if (!tested.value) continue;
    const scope = layered({ output: outcome.output, ...(error ? { error } : {}) }, by.scope, changesOf(outcome));
    try {
      const message = renderText(rule.message, scope) || rule.kind;
      const details = renderMapping(rule.details, scope, "kept");
      return { ok: false, error: raised(rule.kind, message, details), output: outcome.output };
    } catch (problem) {
      return { ok: false, error: templateFailure(problem, rule.message), output: outcome.output };
    }
  }
  return undefined;
}

/** The author's kinds must be declared once a step declares any. */
function declared(error: Raised, { step, stamp }: Settling): Raised {
  const raises = raisesOf(step);
  const known = [...(raises ?? []), ...rulesOf(step).map((rule) => rule.kind)];
  // A script or an agent that claimed an engine kind: its executor does not know what the step declares.
  if (error.kind === "internal.undeclared_kind" && !("raised_at" in error))
    return { ...error, details: { ...error.details, declared: known } };
  if (raises === undefined || isEngineKind(error.kind) || known.includes(error.kind)) return error;
  return raised(
    "internal.undeclared_kind",
    `${step.name} raised ${error.kind}, which its \`raises:\` does not list: ${error.message}`,
    { original_kind: error.kind, original_message: error.message, original_details: error.details, declared: known },
    stamp(error),
  );
}

export function stamped({ frame, work, ledBy, member }: Visit, attempt: number, error: Raised): Envelope {
  const crossed = "raised_at" in error ? (error as Envelope) : undefined;
  const made = crossed
    ? attempt > 1
      ? { ...crossed, attempts: attempt }
      : crossed
    : { ...envelope(error, { workflow: frame.name, node: work.name, attempt }), ...allPlaces(frame.places, member) };
  const placed = member && made.group === undefined ? { ...made, ...placeInGroup(member) } : made;
  // A group's error is a member's, which was stamped when that member raised it.
  const isMembers = crossed !== undefined && !work.step;
  return ledBy && !isMembers && !isCauseOf(ledBy, placed) ? causedBy(placed, ledBy) : placed;
}

/** What a step's error wraps may have been stamped before: an undeclared kind wraps the error that the step raised. */
const isCauseOf = (cause: Envelope, error: Envelope): boolean =>
  error.cause !== undefined && (error.cause === cause || isCauseOf(cause, error.cause));

/** Known where it is raised, so that what is recorded inside an inner group names the outer item as well. */
function allPlaces(outer: readonly GroupPlace[], member: Member | undefined): Pick<Envelope, "items"> {
  const items = member ? [...outer, placeInGroup(member)] : outer;
  return items.length > 1 ? { items } : {};
}
