// How members of a group end, what templates see of the group that ended, and what is recorded of it on the way.
import type { AgentChanges, Envelope } from "../../base/errors/index.ts";
import type { EventData } from "../../base/events/registry.ts";
import { copyEntry, latesOf } from "../../base/json/late.ts";
import { agentView } from "../context/context.ts";
import { isStop, type Stop } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../visit/work.ts";
import type { Branch } from "./branches.ts";

interface MemberDone {
  readonly type: "ok";
  readonly output: unknown;
  readonly changes: AgentChanges | undefined;
  readonly recovered: boolean;
  readonly reused: boolean;
}

export interface MemberFailed {
  readonly type: "failed";
  readonly error: Envelope;
  readonly changes: AgentChanges | undefined;
  readonly unopted: boolean;
  readonly attempts: number;
  readonly reused: boolean;
  /** A crash came before its group had ended. */
  readonly leftOpen: boolean;
}

export type MemberEnd = MemberDone | MemberFailed | Stop;

/** An end that was found in the journal, of a member that ran in this drive: elsewhere, and its group is here. */
export function asRunNow(end: MemberEnd): MemberEnd {
  if (isStop(end)) return end;
  return end.type === "ok" ? { ...end, reused: false } : { ...end, reused: false, leftOpen: false };
}

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

/** What templates see of a group that has ended. */
export function groupFields(
  frame: WorkflowFrame,
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
  return { type: node.kind, outputs: outputsOf(frame, node, branches, kept), errors, ...counts };
}

const NONE: Pick<MemberDone, "output"> = { output: null };

function outputsOf(
  frame: WorkflowFrame,
  node: Group,
  branches: readonly Branch[],
  kept: Pick<KeptOutputs, "get">,
): object {
  const isList = node.kind === "for_each" && !node.group.key_by;
  const outputs = isList ? [] : {};
  const keepsFailed = keepsFailedItems(frame, node);
  let place = 0;
  for (const { id } of branches) {
    const done = kept.get(id);
    if (!done && !keepsFailed) continue;
    const isGiven = done && (node.kind === "parallel" || latesOf(done)?.has("output") || done.output !== undefined);
    copyEntry(isGiven ? done : NONE, "output", outputs, isList ? place : id);
    place += 1;
  }
  return outputs;
}

/** Whether what failed is null in `outputs`; otherwise it is left out. The list of a group that fails as a whole is never shortened. */
function keepsFailedItems({ workflow }: WorkflowFrame, node: Group): boolean {
  if (node.kind === "parallel") return false;
  const { key_by, failure_mode, failed_items } = node.group;
  const { keepsKeysOfFailedItems, keepsPlacesOfFailedItems } = workflow.definition.semantics;
  if (key_by) return keepsKeysOfFailedItems;
  return failure_mode !== "continue_on_error" || (keepsPlacesOfFailedItems && failed_items !== "omit");
}

/** An entry of `<group>.errors`: a member's envelope, and beside it the fields that Conductor's files read. */
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

export function groupRecorder(frame: WorkflowFrame, node: Group, key: string) {
  const { note } = frame.engine.durable;
  const { path } = frame;
  const group_name = node.group.name;
  const isForEach = node.kind === "for_each";
  return {
    started(count: number): void {
      if (node.kind === "parallel") {
        const agents = [...node.group.agents];
        note(path, "parallel_started", {
          group_name,
          key,
          agents,
          max_concurrent: node.group.max_concurrent ?? agents.length,
        });
      } else {
        const { max_concurrent, failure_mode } = node.group;
        note(path, "for_each_started", { group_name, key, item_count: count, max_concurrent, failure_mode });
      }
    },
    warn(message: string): void {
      note(path, "warning", { node: group_name, message });
    },
    memberStarted({ id, index }: Branch): void {
      if (isForEach) note(path, "for_each_item_started", { group_name, item_key: id, index });
      else note(path, "parallel_agent_started", { group_name, agent_name: id });
    },
    memberEnded({ id, index }: Branch, end: MemberEnd, elapsed: number): void {
      if (isStop(end)) return;
      const reused = wasRecorded(frame, key, id, end) ? { reused: true } : {};
      const recovered = end.type === "ok" && end.recovered ? { recovered: true } : {};
      if (isForEach) {
        const item = { group_name, item_key: id, index, elapsed };
        if (end.type === "ok") note(path, "for_each_item_completed", { ...item, ...recovered });
        else note(path, "for_each_item_failed", { ...item, ...reused, error: end.error });
      } else {
        const member = { group_name, agent_name: id, elapsed };
        if (end.type === "ok") note(path, "parallel_agent_completed", { ...member, ...recovered });
        else note(path, "parallel_agent_failed", { ...member, ...reused, error: end.error });
      }
    },
    ended(fields: GroupFields, failed: boolean, elapsed: number): void {
      const { succeeded: success_count, failed: failure_count, count } = fields as Record<string, number>;
      const data = { group_name, key, success_count, failure_count, count, elapsed, failed } as const;
      note(path, isForEach ? "for_each_completed" : "parallel_completed", data as EventData<"for_each_completed">);
    },
    failed(errors: { node: string; item_key?: string; error: Envelope }[]): void {
      note(path, "group_failed", { group_name, key, errors });
    },
  };
}

/** Whether a group of an earlier drive went on without this member: it is lost once, however often that is reused. */
const wasRecorded = (frame: WorkflowFrame, key: string, id: string, end: MemberEnd): boolean =>
  end.type === "failed" &&
  end.reused &&
  !end.leftOpen &&
  frame.engine.durable.recall.get(key)?.branches?.get(id)?.ok === false;
