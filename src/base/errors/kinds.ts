// The registry of kinds: everything that is known of each error the engine itself can raise.
// docs/kinds.md is held against it by a test; nothing else says whether a kind is fixable or retryable.

export type Category =
  | "execution_failure"
  | "template_error"
  | "api_validation"
  | "provider_failure"
  | "policy"
  | "exception"
  | "static_validation"
  | "input_validation";

export type KindOwner = "workflow" | "input" | "environment" | "provider" | "engine" | "person";

/** What a reader of a result needs to know to act on an error. */
export interface Traits {
  readonly category: Category;
  readonly fixable: boolean;
  readonly retryable: boolean;
  readonly owner: KindOwner;
}

export interface Kind extends Traits {
  readonly kind: string;
  /** When it is raised, as a clause that follows "raised when". */
  readonly when: string;
  readonly details: readonly string[];
  /** In files with `agents:`, raised only by steps that opted in to typed errors. */
  readonly optIn?: true;
  /** Whether what failed may have been done all the same, so that no policy may do it again, whatever it lists. */
  readonly mayBeDone?: (details: Readonly<Record<string, unknown>>) => boolean;
  /** For kinds whose traits depend on the answer that was refused. */
  readonly refine?: (details: Readonly<Record<string, unknown>>) => Partial<Traits>;
}

/** 401 and 403 are about who asks, not about what the workflow says. */
const notAuthorized = (details: Readonly<Record<string, unknown>>): boolean =>
  details.status_code === 401 || details.status_code === 403;

const httpDetails = "status_code raw_response response_headers response_time url retry_after request".split(" ");
const providerDetails = "provider model attempts last_error status_code retry_after resets_at limit".split(" ");

/** The `code` of an HTTP request that was given up because no byte came any more. */
export const IDLE_TIMEOUT = "IDLE_TIMEOUT";

/** The server may have got it and be at work on it, and a second one would be a second order. */
const mayBeUnderWay = ({ code, method }: Readonly<Record<string, unknown>>): boolean =>
  code === IDLE_TIMEOUT && (method === "POST" || method === "PATCH");

/** The `exception_type` of what a step gave and no journal can hold. */
export const UNRECORDABLE = "Unrecordable";

const traits = (category: Category, fixable: boolean, retryable: boolean, owner: KindOwner): Traits => ({
  category,
  fixable,
  retryable,
  owner,
});

const FIX_WORKFLOW = traits("execution_failure", true, false, "workflow");
const MAY_PASS = traits("execution_failure", false, true, "environment");
/** It may pass by itself; the file can also give it more time. */
const TOO_LATE = traits("execution_failure", true, true, "environment");
const REFUSED = traits("api_validation", true, false, "workflow");
const PROVIDER_FAILED = traits("provider_failure", false, true, "provider");
const FIX_ENVIRONMENT = traits("execution_failure", true, false, "environment");
const FINAL = traits("execution_failure", false, false, "workflow");

/** The `code` of a request whose address or settings are wrong, so that the file can mend it. */
const WRONG_REQUEST: ReadonlySet<unknown> = new Set(
  "ENOTFOUND REDIRECTED_ELSEWHERE TOO_MANY_REDIRECTS BODY_TOO_LARGE".split(" "),
);

/** The `code` of an MCP call that the file does not allow, or whose server it does not name, or names wrongly. */
const WRONG_SERVER: ReadonlySet<unknown> = new Set(["not_configured", "not_allowed", "ENOENT"]);

const registry: Readonly<Record<string, Omit<Kind, "kind">>> = {
  "internal.script_error": {
    when: "a script exits with a code that is neither 0 nor in its `ok_exit_codes`, or is ended by a signal, and wrote no envelope; or its arguments are too long for the system (`argument_bytes`)",
    details: ["exit_code", "signal", "stderr_tail", "command"],
    optIn: true,
    ...FIX_ENVIRONMENT,
  },
  "internal.schema_violation": {
    when: "a step's output does not fit its `output:` schema, or an envelope is malformed or cannot be read",
    details: ["node", "source", "reason", "failed_field", "answer"],
    optIn: true,
    ...FIX_WORKFLOW,
  },
  "internal.undeclared_kind": {
    when: "a step with `raises:` raised a kind that is not in it, or a script or agent raised an engine kind",
    details: ["original_kind", "original_message", "original_details", "declared"],
    ...FIX_WORKFLOW,
  },
  "internal.template_error": {
    when: "a template or an expression could not be evaluated",
    details: ["template", "expression", "missing", "available_fields", "suggestions"],
    ...traits("template_error", true, false, "workflow"),
  },
  "internal.bad_value": {
    when: "a value that the step needs cannot be used",
    details: ["field", "value", "expected"],
    ...FIX_WORKFLOW,
  },
  "internal.no_route": {
    when: "the step succeeded and none of its success routes matched",
    details: ["routes"],
    ...FIX_WORKFLOW,
  },
  "internal.command_not_found": {
    when: "the command does not exist or cannot be executed, or the working directory is not there",
    details: ["command", "working_dir", "path"],
    ...FIX_ENVIRONMENT,
  },
  "internal.resource_exhausted": {
    when: "the system cannot start the command now: too many open files or processes, or no memory left",
    details: ["command", "working_dir", "code"],
    ...MAY_PASS,
  },
  "internal.timeout": {
    when: "a step ran past its `timeout`",
    details: ["timeout_seconds", "elapsed_seconds"],
    ...TOO_LATE,
  },
  "internal.step_error": {
    when: "an executor has a defect and threw, code of yours (a step type, a provider, an `ask`) threw or gave something unusable, or what a step gave is too large or too deep to be recorded",
    details: ["exception_type", "own_code"],
    ...traits("exception", false, false, "engine"),
    refine: ({ own_code, exception_type }) =>
      exception_type === UNRECORDABLE
        ? { category: "execution_failure", fixable: true, owner: "workflow" }
        : typeof own_code === "string"
          ? { owner: "environment" }
          : {},
  },
  "http.unavailable": {
    when: "the server answered 429 or 5xx",
    details: httpDetails,
    ...traits("execution_failure", false, true, "provider"),
  },
  "http.status": {
    when: "the server answered with another status that the step does not accept",
    details: httpDetails,
    ...REFUSED,
    refine: (details) => (notAuthorized(details) ? { category: "execution_failure", fixable: false } : {}),
  },
  "http.network": {
    when: "there was no answer, or none that can be used: cut, of the wrong length, over 10 redirects, over the size cap; or no byte came for 300 s on a step without `timeout` (`code: IDLE_TIMEOUT`; no policy retries that for POST and PATCH)",
    details: ["url", "code", "method", "request"],
    ...MAY_PASS,
    mayBeDone: mayBeUnderWay,
    refine: (details) => ({
      ...(mayBeUnderWay(details) ? { retryable: false } : {}),
      ...(WRONG_REQUEST.has(details.code) ? { fixable: true } : {}),
    }),
  },
  "mcp.tool_error": { when: "the tool answered with an error", details: ["server", "tool", "content"], ...REFUSED },
  "mcp.protocol_error": {
    when: "the MCP server failed, or the file does not name it or does not allow the tool",
    details: ["server", "tool", "code"],
    ...MAY_PASS,
    refine: ({ code }) => (WRONG_SERVER.has(code) ? { fixable: true, retryable: false, owner: "workflow" } : {}),
  },
  "provider.exhausted": {
    when: "a provider's transport retries are used up",
    details: providerDetails,
    ...PROVIDER_FAILED,
    refine: ({ limit }) =>
      limit === "max_agent_iterations" || limit === "max_session_seconds"
        ? { category: "execution_failure", fixable: true, retryable: false, owner: "workflow" }
        : {},
  },
  "provider.rejected": {
    when: "a provider refused and retrying cannot help",
    details: providerDetails,
    ...REFUSED,
    refine: (details) =>
      details.attempts === 0 || notAuthorized(details) ? { fixable: false, owner: "environment" } : {},
  },
  "provider.denied": {
    when: "a coding agent was denied something it asked for, and its step says `on_denied: raise`",
    details: ["provider", "denied"],
    ...traits("policy", true, false, "person"),
  },
  "circuit.open": {
    when: "a breaker refused the call before it ran",
    details: ["breaker", "opened_at", "retry_after", "retry_after_seconds", "waited_seconds"],
    ...PROVIDER_FAILED,
  },
  "policy.denied": {
    when: "a policy refused the step before it ran",
    details: ["policy", "reason", "metadata"],
    ...traits("policy", true, false, "workflow"),
  },
  "subworkflow.terminated": {
    when: "a child ended in `type: terminate` with `status: failed`",
    details: ["output", "reason", "terminated_by", "workflow"],
    ...FIX_WORKFLOW,
  },
  "subworkflow.failed": {
    when: "a child hit its own limits, was given inputs of the wrong type, or failed a schema check it had not opted in to",
    details: ["error_type", "message", "workflow"],
    ...FIX_WORKFLOW,
  },
  "gate.timeout": {
    when: "no one answered a gate or questions within their `timeout`, and there is no `on_timeout`",
    details: ["timeout_seconds", "deadline"],
    ...TOO_LATE,
  },
  "halt.intentional": { when: "a `halt` route ended the run", details: [], ...FINAL },
};

export const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(registry).map(([kind, entry]) => [kind, { kind, ...entry }]),
);

/** Prefixes that belong to the engine: `raises:` may not declare a kind under them. */
export const ENGINE_PREFIXES = [
  "internal.",
  "provider.",
  "subworkflow.",
  "retry.",
  "halt.",
  "circuit.",
  "policy.",
  "http.",
  "mcp.",
  "gate.",
] as const;

const KIND_FORMAT = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

export const isKind = (text: string): boolean => KIND_FORMAT.test(text);

export const isEngineKind = (kind: string): boolean => ENGINE_PREFIXES.some((prefix) => kind.startsWith(prefix));

/** Whether a failed attempt may have done its work, so that a policy must not retry it. */
export const mayBeDone = (kind: string, details: Readonly<Record<string, unknown>>): boolean =>
  KINDS.get(kind)?.mayBeDone?.(details) ?? false;

/** What is known of a kind; details refine it where the answer decides (a 401 is not a fault of the workflow). */
export function traitsOf(kind: string, details: Readonly<Record<string, unknown>> = {}): Traits {
  const entry = KINDS.get(kind);
  if (!entry) return FIX_WORKFLOW;
  const { category, fixable, retryable, owner } = entry;
  return { category, fixable, retryable, owner, ...entry.refine?.(details) };
}
