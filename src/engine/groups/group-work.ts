// `parallel` and `for_each` as work: their items, what must be the same for them to be reused, and their rounds.
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../node.ts";
import { hashOfParts } from "../visit/hash.ts";
import { prepare } from "../visit/prepare.ts";
import type { Work } from "../visit/work.ts";
import { type Branch, branchesOf } from "./branches.ts";
import { groupRecorder } from "./group-events.ts";
import type { KeptOutputs } from "./group-output.ts";
import { aboutKeyless, type Item, itemsOf } from "./items.ts";
import { runGroup } from "./run-group.ts";

interface PreparedGroup {
  readonly items: readonly Item[] | null;
  readonly members: string;
}

const VERSION = 1;

export function groupWork(frame: WorkflowFrame, node: Group): Work {
  const { group } = node;
  const kept: KeptOutputs = new Map();
  const ran = new Map<string, number>();
  let entered = 0;
  let ended = 0;
  return {
    name: group.name,
    type: node.kind,
    version: VERSION,
    step: undefined,
    routes: group.routes,
    timeoutSeconds: undefined,
    isContainer: true,
    prepare: (scope): PreparedGroup => ({
      items: node.kind === "for_each" ? itemsOf(node.group, scope) : null,
      members: digestOf(frame, node),
    }),
    run(prepared, attempt) {
      const { items } = prepared as PreparedGroup;
      const branches = branchesOf(frame, node, items, attempt, { entered, ended, ran });
      const keyless = node.kind === "for_each" && entered === 0 ? aboutKeyless(node.group, items ?? []) : undefined;
      if (keyless !== undefined) groupRecorder(frame, node, attempt.key).keyless(keyless);
      entered += 1;
      return runGroup(frame, node, branches, attempt, kept, ran);
    },
    unchanged(prepared, visit) {
      const { items } = prepared as PreparedGroup;
      const isUnchanged = ({ key, step, locals }: Branch): boolean => {
        const recorded = frame.engine.durable.recall.get(key)?.last;
        if (!recorded) return true;
        const now = prepare({ frame, work: frame.calls.workOf(frame, step), locals, ledBy: visit.ledBy });
        return now.ok && now.hash === recorded.hash;
      };
      return branchesOf(frame, node, items, visit, { entered, ended, ran }).every(isUnchanged);
    },
    roundEnded() {
      ended += 1;
    },
  };
}

const membersOf = (node: Group): readonly string[] =>
  node.kind === "parallel" ? node.group.agents : [node.group.agent.name];

const digestOf = (frame: WorkflowFrame, node: Group): string =>
  hashOfParts(...membersOf(node).map((member) => frame.definitions.digest(member, "member", VERSION)));
