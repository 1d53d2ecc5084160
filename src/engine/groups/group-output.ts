// Where the outputs of a group's members and items are kept, and what templates see of the group that ended.
import type { AgentChanges, Envelope } from "../../errors/index.ts";
import { copyEntry, latesOf } from "../../json/late.ts";
import { agentView } from "../context/context.ts";
import type { Group } from "../node.ts";
import type { Branch } from "./branches.ts";
import type { MemberDone } from "./member-end.ts";

export type GroupFields = Readonly<Record<string, unknown>>;

/** By member or item, over all rounds of a visit: a retry of the group runs only what is not in here. */
export type KeptOutputs = Map<string, MemberDone>;

interface Failure {
  readonly branch: Branch;
  readonly error: Envelope;
  readonly changes: AgentChanges | undefined;
}

/** By member or item key, of those that work in a folder; no entry at all where none does. */
function changesOf(
  branches: readonly Branch[],
  kept: Pick<KeptOutputs, "get">,
  failures: readonly Failure[],
): GroupFields {
  const lost = new Map(failures.map(({ branch, changes }) => [branch.id, changes]));
  const changed = branches.flatMap(({ id }) => {
    const changes = kept.get(id)?.changes ?? lost.get(id);
    return changes ? [[id, agentView(changes)] as const] : [];
  });
  if (changed.length === 0) return {};
  const partOf = (part: "changes" | "denied") => Object.fromEntries(changed.map(([id, view]) => [id, view[part]]));
  return { changes: partOf("changes"), denied: partOf("denied") };
}

/** Every item keeps its position: the output of one that failed is null, never a shift. */
export function groupFields(
  node: Group,
  branches: readonly Branch[],
  kept: Pick<KeptOutputs, "get" | "size">,
  failures: readonly Failure[],
): GroupFields {
  const errors = Object.fromEntries(failures.map(({ branch, error }) => [branch.id, errorEntry(node, branch, error)]));
  const counts = {
    count: branches.length,
    failed: failures.length,
    succeeded: kept.size,
    ...changesOf(branches, kept, failures),
  };
  return { type: node.kind, outputs: outputsOf(node, branches, kept), errors, ...counts };
}

const NONE: Pick<MemberDone, "output"> = { output: null };

function outputsOf(node: Group, branches: readonly Branch[], kept: Pick<KeptOutputs, "get">): object {
  const isList = node.kind === "for_each" && !node.group.key_by;
  const outputs = isList ? [] : {};
  for (const [index, { id }] of branches.entries()) {
    const done = kept.get(id);
    if (!done && node.kind === "parallel") continue;
    const isGiven = done && (node.kind === "parallel" || latesOf(done)?.has("output") || done.output !== undefined);
    copyEntry(isGiven ? done : NONE, "output", outputs, isList ? index : id);
  }
  return outputs;
}

/**
 * An entry of `<group>.errors`: the envelope of what a member raised, with the fields beside it that Conductor's entries
 * have, since its files read them.
 */
const errorEntry = (group: Group, { id, step }: Pick<Branch, "id" | "step">, error: Envelope) => ({
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
