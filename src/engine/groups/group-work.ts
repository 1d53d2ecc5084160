// `parallel` and `for_each` as work: their items, what must be the same for them to be reused, their rounds, and what other
// workers need to know to run some of a group's items (`spread: true`).
import type { Envelope } from "../../base/errors/index.ts";
import { isInGroup, roundKey } from "../../base/events/key.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import { affinityOf } from "../../language/schema/section-defaults.ts";
import type { SpreadGroup } from "../durable.ts";
import { isStop, type RaisedEnd } from "../ends.ts";
import type { WorkflowFrame } from "../frame.ts";
import { enforceBudgets, spend } from "../limits/limits.ts";
import { hashOfParts } from "../visit/hash.ts";
import { prepare } from "../visit/prepare.ts";
import { readErrors } from "../visit/read-routes.ts";
import { countUsed, RetryBudget } from "../visit/route-retries.ts";
import type { Group, Work } from "../visit/work.ts";
import { type Branch, branchesOf, passesOf, roundOf } from "./branches.ts";
import { groupRecorder, type KeptOutputs, type MemberEnd } from "./group-output.ts";
import { aboutKeyless, type Item, itemsOf } from "./items.ts";
import { runGroup } from "./run-group.ts";

export interface PreparedGroup {
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
  let isAnew = false;
  const { iteration } = frame.context;
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
      const branches = branchesOf(frame, node, items, attempt, { entered, ended, ran, isAnew, iteration });
      const keyless = node.kind === "for_each" && entered === 0 ? aboutKeyless(node.group, items ?? []) : undefined;
      if (keyless !== undefined) groupRecorder(frame, node, attempt.key).warn(keyless);
      const round = roundKey(attempt.key, roundOf(frame, attempt.key, entered + ended));
      const spread = spreadOf(frame, node, round, attempt.ledBy);
      if (entered === 0) {
        frame.lost.begin(group.name);
        // Of earlier drives: what ran in earlier rounds is not come to again.
        const earlier = new Set(isAnew || !frame.reuse ? [] : branches.flatMap(({ keys }) => keys.slice(0, -1)));
        const used = earlier.size > 0 ? frame.engine.durable.recall.usedInside(attempt.key) : [];
        countUsed(
          frame,
          used.filter(({ branch }) => earlier.has(branch)),
        );
      }
      entered += 1;
      return runGroup(frame, node, branches, attempt, { kept, ran, ...(spread ? { spread } : {}) });
    },
    unchanged(prepared, visit) {
      const { items } = prepared as PreparedGroup;
      return branchesOf(frame, node, items, visit, { entered, ended, ran, iteration }).every(
        (branch) => isUnchanged(frame, branch, visit.ledBy) !== false && !isTakenNow(frame, group, branch),
      );
    },
    failsAgain(prepared, visit) {
      const { items } = prepared as PreparedGroup;
      const branches = branchesOf(frame, node, items, visit, { entered, ended, ran, iteration }).map(inFirstRound);
      const isSame = (branch: Branch): boolean => isUnchanged(frame, branch, visit.ledBy) === true;
      const fails = (branch: Branch): boolean => isSame(branch) && failsIn(frame, group, branch);
      if (group.failure_mode === "continue_on_error") return branches.length > 0 && branches.every(fails);
      // One before it that is not the same may fail instead, and with another error.
      const first = branches.findIndex(fails);
      return first >= 0 && branches.slice(0, first).every(isSame);
    },
    beginsAnew() {
      isAnew = true;
    },
    roundEnded() {
      ended += 1;
    },
  };
}

const inFirstRound = (branch: Branch): Branch => ({ ...branch, key: branch.keys[0] ?? branch.key });

/** Whether it failed, and has no route that would take its error now. */
function failsIn(frame: WorkflowFrame, group: Group["group"], branch: Branch): boolean {
  const recorded = frame.engine.durable.recall.get(branch.key);
  return recorded?.last?.ok === false && !isTaken(frame, group, branch, recorded);
}

/** Whether no route of its own took its last error, and one would do so now. */
function isTakenNow(frame: WorkflowFrame, group: Group["group"], branch: Branch): boolean {
  const recorded = branch.keys.flatMap((key) => passesOf(frame, key)).at(-1);
  const routed = recorded?.last?.routed;
  return recorded !== undefined && (!routed || routed === "group") && isTaken(frame, group, branch, recorded);
}

function isTaken(
  frame: WorkflowFrame,
  { name, routes }: Group["group"],
  { step, locals }: Branch,
  recorded: Recorded,
): boolean {
  const { error, output, changes, unopted } = recorded.last ?? {};
  if (!error) return false;
  const work = frame.calls.workOf(frame, step);
  const visit = { frame, work, locals, member: { group: name, routes } };
  const end: RaisedEnd = { type: "raised", error, output, changes, ...(unopted ? { unopted } : {}) };
  const { decision } = readErrors(visit, end, new RetryBudget(frame, work, recorded));
  if (decision?.action === "retry") return decision.via === undefined;
  return decision?.action === "go" || decision?.action === "halt";
}

const membersOf = (node: Group): readonly string[] =>
  node.kind === "parallel" ? node.group.agents : [node.group.agent.name];

const digestOf = (frame: WorkflowFrame, node: Group): string =>
  hashOfParts(...membersOf(node).map((member) => frame.definitions.digest(member, "member", VERSION)));

/** Nothing for a group that stays on its worker. So does one inside a group: members beside it are still running. */
function spreadOf(
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
function isUnchanged(
  frame: WorkflowFrame,
  { key, step, locals }: Branch,
  ledBy: Envelope | undefined,
): boolean | undefined {
  const recorded = frame.engine.durable.recall.get(key)?.last;
  if (!recorded) return undefined;
  const now = prepare({ frame, work: frame.calls.workOf(frame, step), locals, ledBy });
  return now.ok && now.hash === recorded.hash;
}
