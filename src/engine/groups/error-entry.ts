// An entry of `<group>.errors`: the envelope of what a member raised, with the fields beside it that Conductor's entries
// have, since its files read them.
import type { Envelope } from "../../errors/index.ts";
import type { Group } from "../node.ts";
import type { Branch } from "./branches.ts";

export const errorEntry = (group: Group, { id, step }: Pick<Branch, "id" | "step">, error: Envelope) => ({
  ...error,
  ...(group.kind === "parallel" ? { agent_name: id } : { item_key: id }),
  exception_type: exceptionType(error.kind, step.type),
  suggestion: suggestionIn(error),
});

const EXCEPTIONS: Readonly<Record<string, string>> = {
  "internal.template_error": "TemplateError",
  "internal.schema_violation": "ValidationError",
  "subworkflow.terminated": "SubworkflowTerminatedError",
};

/** The class that Conductor would have raised. An agent's own error comes from its provider there. */
function exceptionType(kind: string, stepType: string): string {
  const known = EXCEPTIONS[kind];
  if (known) return known;
  if (kind === "internal.timeout" && stepType === "agent") return "AgentTimeoutError";
  const isEngines = kind.startsWith("internal.");
  return kind.startsWith("provider.") || (stepType === "agent" && !isEngines) ? "ProviderError" : "ExecutionError";
}

function suggestionIn({ details }: Envelope): string | null {
  const [meant] = Array.isArray(details.suggestions) ? details.suggestions : [];
  return typeof meant === "string" ? `Did you mean ${meant}?` : null;
}
