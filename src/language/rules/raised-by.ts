// What raises an engine kind, for findings about one that is named where it cannot happen.

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

/** A sentence part: "agents raise it when their model does not answer". */
export const raisedBy = (kind: string): string =>
  BY_KIND[kind] ?? BY_PREFIX[kind.slice(0, kind.indexOf("."))] ?? "the engine raises it";
