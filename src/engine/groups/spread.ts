// `spread: true`: what other workers need to know to run some of a group's items. Not read where there are none.
import type { Envelope } from "../../errors/index.ts";
import { isInGroup } from "../../events/key.ts";
import { affinityOf } from "../../language/affinity.ts";
import type { SpreadGroup } from "../durable.ts";
import { isStop } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import { enforceBudgets, spend } from "../limits/limits.ts";
import type { Group } from "../node.ts";
import { prepare } from "../visit/prepare.ts";
import type { Branch } from "./branches.ts";
import type { MemberEnd } from "./member-end.ts";

/**
 * Nothing for a group that stays on its worker. A group inside an item or a member of another group does too: a worker
 * that takes items reaches them by what is recorded, and the members beside such a group are still running.
 */
export function spreadOf(
  frame: WorkflowFrame,
  node: Group,
  key: string,
  ledBy: Envelope | undefined,
): SpreadGroup<Branch, MemberEnd> | undefined {
  if (node.kind !== "for_each" || !node.group.spread || isInGroup(key)) return undefined;
  if (affinityOf(frame.workflow.definition) === "worker") return undefined;
  const { name, failure_mode } = node.group;
  const path = frame.path.join("/");
  return {
    key,
    idOf: ({ id }) => id,
    isRecorded(branch) {
      const last = frame.reuse ? frame.engine.durable.recall.get(branch.key)?.last : undefined;
      if (!last?.ok && last?.routed !== "group" && last?.routed !== "to") return false;
      return isUnchanged(frame, branch, ledBy) === true;
    },
    heard({ type, data }) {
      if (type !== "agent_usage") return;
      spend(frame, data.agent_name, data);
      frame.engine.guard?.spent(data.agent_name, data);
      enforceBudgets(frame);
    },
    endedBy: ({ type, path: at, data }) =>
      (type === "for_each_item_completed" || type === "for_each_item_failed") &&
      data.group_name === name &&
      at.join("/") === path
        ? data.item_key
        : undefined,
    isTold: (end) => !isStop(end),
    stopsAtOnce: (end) =>
      isStop(end)
        ? end.type === "halted" || end.type === "limit"
        : end.type === "failed" && failure_mode === "fail_fast",
  };
}

// Whether what is recorded of a branch is about the step as it is now.

/** Nothing when nothing is recorded. */
export function isUnchanged(
  frame: WorkflowFrame,
  { key, step, locals }: Branch,
  ledBy: Envelope | undefined,
): boolean | undefined {
  const recorded = frame.engine.durable.recall.get(key)?.last;
  if (!recorded) return undefined;
  const now = prepare({ frame, work: frame.calls.workOf(frame, step), locals, ledBy });
  return now.ok && now.hash === recorded.hash;
}
