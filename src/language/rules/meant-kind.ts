// Which kind a word was meant as: `http.timeout` is `internal.timeout`, `dirty` the `external.git.dirty` that a step raises,
// and `TimeoutError`, as other tools name errors by their class, is `internal.timeout`.
import { KINDS } from "../../errors/index.ts";

/** What classes of other tools are called here, where the name itself does not say it. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["validation", "internal.schema_violation"],
  ["connection", "http.network"],
  ["connect", "http.network"],
  ["rate_limit", "provider.exhausted"],
  ["provider", "provider.exhausted"],
  ["execution", "internal.script_error"],
  ["called_process", "internal.script_error"],
  ["undefined", "internal.template_error"],
  ["sub_workflow", "subworkflow.failed"],
  ["circuit_breaker", "circuit.open"],
]);

/** `requests.TimeoutError` → `timeout`. */
const lastPart = (word: string): string =>
  (word.trim().split(".").at(-1) ?? "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s/:-]+/g, "_")
    .replace(/_?(?:error|exception)$/, "");

/** The kinds, of those that the step can raise or else of the engine's, that end as the word does; at most three. */
export function meantKinds(word: string, raised: readonly string[]): readonly string[] {
  const part = lastPart(word);
  if (part.length < 3) return [];
  const fits = (kind: string): boolean => {
    const last = kind.slice(kind.lastIndexOf(".") + 1);
    return last === part || last === `${part}_error` || (part.length > 3 && last.startsWith(`${part}_`));
  };
  const own = raised.filter(fits);
  if (own.length > 0) return own.slice(0, 3);
  const named = CLASSES.get(part);
  if (named !== undefined && KINDS.has(named)) return [named];
  return [...KINDS.keys()].filter(fits).slice(0, 1);
}

const BY_KIND: Readonly<Record<string, string>> = {
  "internal.timeout": "a step with a `timeout` raises it",
  "internal.no_route": "a step whose success routes all have a `when` raises it",
  "internal.schema_violation": "a step with an `output` schema raises it",
  "internal.script_error": "a script raises it",
  "internal.command_not_found": "a script raises it",
  "internal.resource_exhausted": "a script raises it",
  "gate.timeout": "a gate or questions with a `timeout` raise it",
  "halt.intentional": "a `halt` route ends the run with it",
};

const BY_PREFIX: Readonly<Record<string, string>> = {
  provider: "agents raise it when their model does not answer",
  http: "http steps raise it",
  mcp: "mcp steps, and agents with tools of MCP servers, raise it",
  subworkflow: "workflow steps raise it",
  circuit: "agents, http and mcp steps raise it, and any step below a breaker with `scope: step`",
  internal: "the engine raises it",
};

/**
 * What raises an engine kind, for findings about one that is named where it cannot happen. A sentence part: "agents
 * raise it when their model does not answer".
 */
export const raisedBy = (kind: string): string =>
  BY_KIND[kind] ?? BY_PREFIX[kind.slice(0, kind.indexOf("."))] ?? "the engine raises it";
