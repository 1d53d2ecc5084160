// `parallel` and `for_each` as work: their items, what must be the same for them to be reused, and their rounds.
import type { Envelope } from "../../errors/index.ts";
import { roundKey } from "../../events/key.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Group } from "../node.ts";
import { hashOfParts } from "../visit/hash.ts";
import { readErrors } from "../visit/read-routes.ts";
import { countUsed, RetryBudget } from "../visit/retry-budget.ts";
import type { Work } from "../visit/work.ts";
import { type Branch, branchesOf } from "./branches.ts";
import { groupRecorder } from "./group-events.ts";
import type { KeptOutputs } from "./group-output.ts";
import { aboutKeyless, type Item, itemsOf } from "./items.ts";
import { roundOf } from "./rounds.ts";
import { runGroup } from "./run-group.ts";
import { isUnchanged, spreadOf } from "./spread.ts";

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
      if (keyless !== undefined) groupRecorder(frame, node, attempt.key).keyless(keyless);
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
        (branch) => isUnchanged(frame, branch, visit.ledBy) !== false,
      );
    },
    failsAgain(prepared, visit) {
      const { items } = prepared as PreparedGroup;
      const branches = branchesOf(frame, node, items, visit, { entered, ended, ran, iteration });
      const fails = (branch: Branch): boolean => branchFailsAgain(frame, node, branch, visit.ledBy);
      return group.failure_mode === "continue_on_error"
        ? branches.length > 0 && branches.every(fails)
        : branches.some(fails);
    },
    beginsAnew() {
      isAnew = true;
    },
    roundEnded() {
      ended += 1;
    },
  };
}

/** Whether it failed in the first round of this visit, is the same, and has no route that would take its error now. */
function branchFailsAgain(
  frame: WorkflowFrame,
  { group }: Group,
  branch: Branch,
  ledBy: Envelope | undefined,
): boolean {
  const [key = branch.key] = branch.keys;
  const recorded = frame.engine.durable.recall.get(key);
  const { error, output } = recorded?.last ?? {};
  if (!recorded || !error || isUnchanged(frame, { ...branch, key }, ledBy) !== true) return false;
  const work = frame.calls.workOf(frame, branch.step);
  const visit = { frame, work, locals: branch.locals, member: { group: group.name, routes: group.routes } };
  const { decision } = readErrors(visit, { type: "raised", error, output }, new RetryBudget(frame, work, recorded));
  return decision?.action !== "go" && (decision?.action !== "retry" || decision.via !== undefined);
}

const membersOf = (node: Group): readonly string[] =>
  node.kind === "parallel" ? node.group.agents : [node.group.agent.name];

const digestOf = (frame: WorkflowFrame, node: Group): string =>
  hashOfParts(...membersOf(node).map((member) => frame.definitions.digest(member, "member", VERSION)));
