// One sentence that says what to change, and how to go on: in the words of its reader.
import { type Envelope, isEngineKind, KINDS, mayBeDone, traitsOf, UNRECORDABLE } from "../errors/index.ts";
import { isMapping } from "../errors/mapping.ts";
import { nearest } from "../errors/nearest.ts";
import type { Reader } from "./reader.ts";

export interface Going {
  /** The step to change; null for the workflow itself. */
  readonly node: string | null;
  readonly reader: Reader;
  /** The run that can be gone on with; null when it cannot. */
  readonly run: string | null;
  /** What runs again what groups of the run lost; null or absent when they lost nothing. */
  readonly lostItems?: string | null;
  /** Whether any drive of it has begun. */
  readonly isBegun?: boolean;
  /** Where an error route is missing, when that is known: not at a step that propagates the error, and after retries. */
  readonly missingRoute?: { readonly node: string; readonly isAfterRetries: boolean };
}

const named = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;
const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function reference({ details }: Envelope, step: string): string {
  const expression = named(details.expression, "something");
  const [meant] = listed(details.suggestions);
  const instead = meant ? `; did you mean ${meant}?` : ".";
  const parent = named(details.parent, "it");
  if (details.reason === "limit")
    return `${step} has a template that would never end or grow too large. Make ${expression} smaller`;
  if (details.reason === "type") return `${step} computes with values that do not go together. Correct ${expression}`;
  if (details.reason === "syntax") return `${step} has a template that cannot be read. Correct ${expression}`;
  if (details.parent_type === "string")
    return `${step} reads ${expression}, but ${parent} is text and has no fields. Correct the reference`;
  return `${step} reads ${expression}, which does not exist${instead} Correct the reference`;
}

/** A tool that its server does not have: the arguments are not what is wrong. */
function unknownTool({ server, tool, tools }: Envelope["details"], step: string): string | undefined {
  const known = listed(tools);
  if (!Array.isArray(tools) || typeof tool !== "string" || known.includes(tool)) return undefined;
  const [meant] = nearest(tool, known);
  const instead = meant ? `; did you mean ${meant}?` : `; its tools: ${known.join(", ") || "none"}.`;
  return `The MCP server ${named(server, "in question")} has no tool ${tool}${instead} Correct \`tool\` of ${step}`;
}

const wait = ({ details }: Envelope, other: string): string =>
  typeof details.retry_after === "number"
    ? `Wait ${Math.ceil(details.retry_after)} s`
    : `Wait until ${other} answers again`;

function exhaustedLimit({ details }: Envelope, step: string): string | undefined {
  if (details.limit === "quota")
    return `The quota of ${named(details.provider, "the provider")} is used up: raise it there, wait until it is renewed, or add a fallback model of another provider`;
  if (typeof details.limit !== "string") return undefined;
  if (typeof details.resets_at === "string")
    return `The limit of ${named(details.provider, "the provider")} (${details.limit}) resets at ${details.resets_at}: resume then, or let ${step} wait for it with \`{ on_error: provider.exhausted, retry: { until: reset } }\``;
  if (details.limit !== "max_agent_iterations" && details.limit !== "max_session_seconds") return undefined;
  return `Raise \`${details.limit}\` of ${step}, or give it less to do`;
}

/** The policy threw, or answered with something that is no verdict. */
const isFaultyPolicy = ({ metadata }: Envelope["details"]): boolean =>
  isMapping(metadata) && (isMapping(metadata.error) || typeof metadata.answer === "string");

const ADVICE: Readonly<Record<string, (error: Envelope, step: string, reader: Reader) => string>> = {
  "internal.template_error": reference,
  "internal.script_error": ({ details: { exit_code: code, signal, argument_bytes: bytes } }, step) => {
    if (typeof bytes === "number")
      return `Pass what is long to ${step} with \`stdin:\` instead of in \`args\` and let the script read its standard input`;
    const fix = `Fix the command of ${step}, or what it needs`;
    const isListable = typeof signal !== "string" && typeof code === "number" && code <= 255;
    return isListable ? `${fix}; if exit code ${code} is no failure, add \`ok_exit_codes: [0, ${code}]\`` : fix;
  },
  "internal.command_not_found": (_, step) =>
    `Make the command and the working directory of ${step} what it needs, as said above`,
  "internal.resource_exhausted": () => "Give the machine room for more files, processes or memory, as said above",
  "internal.schema_violation": ({ details }, step) =>
    details.source === "error_channel" || details.malformed_envelope === true
      ? `Let ${step} write a whole envelope: {"kind": "a.b", "message": "…", "details": {}}`
      : `Make what ${step} gives fit its \`output:\`${details.failed_field ? ` (${named(details.failed_field, "one field")})` : ""}, or change the schema`,
  "internal.undeclared_kind": ({ details }, step) =>
    typeof details.original_kind === "string" && isEngineKind(details.original_kind)
      ? `Let ${step} raise a kind with a name of its own instead of ${details.original_kind}, such as external.git.drift`
      : `Add ${named(details.original_kind, "the kind")} to \`raises:\` of ${step}, or raise one that is there`,
  "internal.bad_value": ({ details }, step) =>
    `Correct \`${named(details.field, "the value")}\` of ${step}: ${named(details.expected, "it cannot be used")}`,
  "provider.denied": (_, step) =>
    `Allow it by \`sandbox\`, \`allow\` or \`network\` of ${step}, let a person decide with \`ask: gate\`, or ask for less`,
  "internal.no_route": (_, step) =>
    `Give ${step} a last route without \`when\`, or correct a condition (details.routes has what each saw)`,
  "internal.timeout": (_, step) => `Raise \`timeout\` of ${step}, or make it quicker`,
  "internal.step_error": ({ details }, step) =>
    details.exception_type === UNRECORDABLE
      ? `Let ${step} give less, or write it to a file and give the file's name`
      : typeof details.own_code === "string"
        ? `Correct ${details.own_code}, which is code of yours`
        : "This is a defect in Segno, not in your workflow; please report it with the message",
  "http.status": ({ details }, step) =>
    details.status_code === 401 || details.status_code === 403
      ? `Check the credentials that ${step} sends`
      : `Fix the request of ${step}: its url, headers or body (raw_response has the server's answer)`,
  "http.unavailable": (error) => wait(error, "the server"),
  "http.network": ({ kind, details }) => {
    const address = named(details.url, "the address");
    if (mayBeDone(kind, details))
      return `Find out whether ${address} did what was asked of it: it took the request and sent no answer`;
    return `Check that ${address} can be reached from here`;
  },
  "mcp.tool_error": ({ details }, step) =>
    unknownTool(details, step) ?? `Fix the \`arguments\` of ${step} for the tool ${named(details.tool, "it calls")}`,
  "mcp.protocol_error": ({ details }, step) => {
    const server = named(details.server, "in question");
    if (details.code === "not_configured")
      return `Correct the server's name in ${step}, or add ${server} to \`runtime.mcp_servers\``;
    if (details.code === "not_allowed")
      return `Allow ${named(details.tool, "the tool")} in \`tools\` of \`runtime.mcp_servers.${server}\``;
    if (details.code === "ENOENT") return `Correct \`command\` of \`runtime.mcp_servers.${server}\``;
    return `Check that the MCP server ${server} starts and answers`;
  },
  "provider.exhausted": (error, step) =>
    exhaustedLimit(error, step) ??
    `${wait(error, named(error.details.provider, "the provider"))}, or add a fallback model or an \`on_error\` route to ${step}`,
  "provider.rejected": ({ details }, step) =>
    details.attempts === 0
      ? `Nothing was sent: give ${named(details.provider, "the provider")} what it lacks, as the message says`
      : details.status_code === 401 || details.status_code === 403
        ? `Check the key of the provider ${named(details.provider, "in question")}`
        : `Change the model, the prompt or the options of ${step}: ${named(details.provider, "the provider")} refused them`,
  "circuit.open": ({ details }, _, reader) => {
    const reset = reader.ask({ to: "reset", breaker: named(details.breaker, "NAME") });
    const later = `The breaker ${named(details.breaker, "in question")} lets calls through again later`;
    return reset === null ? later : `${later}; to close it now: ${reset}`;
  },
  "gate.timeout": (_, step) =>
    `No one answered ${step} in time: give it more \`timeout\`, an \`on_timeout\` that goes on without an answer, or route gate.timeout`,
  "policy.denied": ({ details }, step) =>
    isFaultyPolicy(details)
      ? `Correct the policy ${named(details.policy, "in question")}: it gave no verdict (\`{ allowed: true }\`, or \`{ allowed: false, reason }\`)`
      : `The policy ${named(details.policy, "in question")} refused ${step}: change what it objects to, or route policy.denied`,
  "subworkflow.terminated": ({ details }, step) =>
    `${named(details.workflow, "The sub-workflow")} ended itself at ${named(details.terminated_by, "a step")}: change what leads there, or route subworkflow.terminated at ${step}`,
  "subworkflow.failed": ({ details }, step) =>
    `Give ${named(details.workflow, "the sub-workflow")} what it needs (its limits, its inputs), or route subworkflow.failed at ${step}`,
};

const resumeOf = ({ reader, run }: Going): string | null => (run === null ? null : reader.ask({ to: "resume", run }));

const goOn = (advice: string, going: Going): string => {
  const resume = resumeOf(going);
  const sentence = advice.charAt(0).toUpperCase() + advice.slice(1);
  return resume === null ? `${sentence}.` : `${sentence}, then: ${resume}`;
};

/** The step that raised it, or the workflow whose output did: no step is called `output`. */
function placeOf({ propagated, raised_at }: Envelope, node: string | null): string {
  if (propagated.length === 0) return node === null ? "the workflow's output" : `step ${node}`;
  return raised_at.node === "output"
    ? `the output of the sub-workflow ${raised_at.workflow}`
    : `step ${raised_at.node}`;
}

/** For an error that ended the run. */
export function hintFor(error: Envelope, going: Going): string {
  if (error.kind === "halt.intentional")
    return going.run === null
      ? endedOnPurpose("The workflow ended here on purpose. Fix the cause, then start a new run.", going)
      : goOn("The workflow stopped here on purpose. Do what the message asks for", going);
  const step = placeOf(error, going.node);
  const advice = ADVICE[error.kind]?.(error, step, going.reader);
  if (advice) return goOn(advice, going);
  const cause = traitsOf(error.kind, error.details).retryable
    ? "It may be temporary: wait"
    : `Fix the error of ${step}, or ${routeToAdd(error.kind, step, going)}`;
  return goOn(cause, going);
}

function routeToAdd(kind: string, step: string, { missingRoute }: Going): string {
  const isElsewhere = missingRoute !== undefined && `step ${missingRoute.node}` !== step;
  if (missingRoute?.isAfterRetries)
    return `add a route after the retries${isElsewhere ? ` of step ${missingRoute.node}` : ""}, which are used up: \`{ on_error: ${kind}, to: … }\``;
  return `give ${isElsewhere ? `step ${missingRoute.node}` : "it"} a route with \`on_error: ${kind}\``;
}

export const hintForHandlerFailed = (by: string): string =>
  `A route led to ${by}, which also failed. Fix the error of ${by}.`;

export const hintForEndedOnPurpose = (by: string): string =>
  `A route led to ${by}, which ended the workflow on purpose.`;

/** For an error that a route handled, or that a group did without. */
export const hintForHandled = (by: string | null, group: string | null, lost: string | null = null): string =>
  by === "$end"
    ? "A route ended the workflow here; nothing needs to be done."
    : by !== null
      ? `A route led to ${by}, which handled it; nothing needs to be done.`
      : `The group ${group ?? ""} went on without it; its place in the output is null.${lost === null ? "" : ` To run what was lost again: ${lost}`}`;

/** Nothing of such a run can go on but what its groups lost. */
const endedOnPurpose = (advice: string, { lostItems }: Going): string =>
  lostItems ? `${advice} Of this run only what its groups lost can run again: ${lostItems}` : advice;

/** What a run has used of its limits: all executions, and the visits of the step that would be the next. */
interface Used {
  readonly executions: number;
  readonly visits: number;
}

export function hintForEnding(errorType: string, going: Going, used: Used): string | undefined {
  const { node, reader, run } = going;
  const step = node === null ? "the run" : `step ${node}`;
  const resume = resumeOf(going);
  switch (errorType) {
    case "MaxIterationsError":
      return raiseLimit("max_iterations", going, { maxIterations: moreIterationsThan(used.executions) });
    case "MaxVisitsError":
      return raiseLimit("max_visits", going, { maxVisits: moreVisitsThan(used.visits) });
    case "TimeoutError":
      return goOn("Raise `limits.timeout_seconds`", going);
    case "BudgetExceededError":
      return goOn("Raise `limits.budget_usd`, or choose a cheaper model", going);
    case "WorkflowTerminated":
      return endedOnPurpose(
        `The workflow ended itself at ${step} on purpose. Deal with the reason, then start a new run.`,
        going,
      );
    case "Interrupted":
      if (run === null) return `Nothing of it was done. Start it again with: ${reader.ask({ to: "run" })}`;
      return resume === null ? undefined : `What was completed is kept. To go on: ${resume}`;
    case "Cancelled":
      if (resume !== null && going.isBegun === false) return `Nothing of it was done. To begin it: ${resume}`;
      return resume === null ? undefined : `What was completed is kept. To go on: ${resume}`;
    case "ScenarioError":
      return "Add the answer to the scenario.";
    case "StoreError":
      return goOn("Make room, or make the store writable", going);
    default:
      return resume === null ? undefined : `To go on: ${resume}`;
  }
}

/** What to allow a run that has used up its limit. */
export const moreIterationsThan = (executions: number): number => Math.max(20, executions * 2);

export const moreVisitsThan = (visits: number): number => Math.max(50, visits * 2);

function raiseLimit(
  limit: string,
  going: Going,
  asked: { readonly maxIterations: number } | { readonly maxVisits: number },
): string | undefined {
  const { reader, run } = going;
  if (run === null) return undefined;
  const more = reader.ask({ to: "resume", run, ...asked });
  const advice = `If it should have ended before, mend the routes of the loop; else raise \`limits.${limit}\``;
  return more === null ? goOn(advice, going) : `${advice}, or allow more now: ${more}`;
}

/** Kinds that have advice of their own; a test holds them against the registry. */
export const ADVISED: ReadonlySet<string> = new Set(
  [...Object.keys(ADVICE), "halt.intentional"].filter((kind) => KINDS.has(kind)),
);
