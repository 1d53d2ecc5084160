// What is recorded of a group while it runs: the two kinds differ in names, not in shape.
import type { Envelope } from "../../errors/index.ts";
import type { EventData } from "../../events/registry.ts";
import { isStop } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../node.ts";
import type { Branch } from "./branches.ts";
import type { GroupFields } from "./group-output.ts";
import type { MemberEnd } from "./member-end.ts";

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
    empty(): void {
      note(path, "warning", {
        node: group_name,
        message: `${group_name} had nothing to do: its source is an empty list`,
      });
    },
    keyless(message: string): void {
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
