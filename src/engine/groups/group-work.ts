// `parallel` and `for_each`: members in a sliding pool, each in its own place; what remains of their errors goes to
// `failure_mode`. On a retry only the members that did not succeed run again.
import { type Envelope, failed } from "../../errors/index.ts";
import { itemKey, memberKey } from "../../events/key.ts";
import type { Step } from "../../language/schema/index.ts";
import type { Names } from "../context/scope.ts";
import { isStop, type Stop } from "../ends.ts";
import type { Frame, Group } from "../frame.ts";
import { sha256 } from "../visit/hash.ts";
import { prepare } from "../visit/prepare.ts";
import type { Attempted, Place, Work } from "../visit/work.ts";
import { tell } from "./group-events.ts";
import { groupFields } from "./group-output.ts";
import { type Item, itemsOf } from "./items.ts";
import { type Branch, type GroupPlace, type MemberEnd, runMember } from "./members.ts";
import { roundOf } from "./rounds.ts";
import { systemicKind } from "./systemic.ts";

interface Prepared {
  readonly items: readonly Item[] | null;
  readonly members: string;
}

const VERSION = 1;

export function groupWork(frame: Frame, of: Group): Work {
  const { group } = of;
  const done = new Map<string, MemberEnd & { type: "ok" }>();
  const ran = new Map<string, number>();
  let entered = 0;
  /** Rounds that an earlier drive ended and did not get to try again. */
  let ended = 0;
  const branchesOf = (
    prepared: Prepared,
    key: string,
    locals: Names,
  ): readonly (Branch & { readonly step: Step })[] => {
    const keyIn = (id: string) => (round: number) =>
      of.kind === "parallel" ? memberKey(key, round, id) : itemKey(key, round, id, of.group.agent.name);
    const branch = (id: string) => branchOf(frame, key, id, keyIn(id), { entered, ended }, ran.get(id));
    return of.kind === "parallel"
      ? of.group.agents.map((id, index) => ({ id, index, locals, step: stepOf(frame, id), ...branch(id) }))
      : (prepared.items ?? []).map(({ value, key: id }, index) => ({
          id,
          index,
          locals: { ...locals, [of.group.as]: value, _index: index, _key: id },
          step: of.group.agent,
          ...branch(id),
        }));
  };
  return {
    name: group.name,
    type: of.kind,
    version: VERSION,
    step: undefined,
    routes: group.routes,
    timeoutSeconds: undefined,
    isContainer: true,
    prepare: (scope): Prepared => ({
      items: of.kind === "for_each" ? itemsOf(of.group, scope) : null,
      members: digestOf(frame, of),
    }),
    run(prepared, place) {
      const branches = branchesOf(prepared as Prepared, place.key, place.locals);
      entered += 1;
      return runGroup(frame, of, branches, place, done, ran);
    },
    unchanged: (prepared, { key, locals, ledBy }) =>
      branchesOf(prepared as Prepared, key, locals).every((branch) => {
        const recorded = frame.engine.durable.recall.get(branch.key)?.last;
        if (!recorded) return true;
        const now = prepare(frame, frame.calls.workOf(frame, branch.step), { locals: branch.locals, ledBy });
        return now.ok && now.hash === recorded.hash;
      }),
    roundEnded() {
      ended += 1;
    },
  };
}

/** Whether an earlier drive told of this failure already: it is one, however often it is come by. */
const wasTold = (frame: Frame, key: string, { id }: Branch, end: MemberEnd): boolean =>
  end.type === "failed" && end.reused && frame.engine.durable.recall.get(key)?.branches?.get(id)?.ok === false;

/** The key of a branch and how often it ran before. One that ended well in an earlier round stays there. */
function branchOf(
  frame: Frame,
  key: string,
  id: string,
  keyIn: (round: number) => string,
  { entered, ended }: { readonly entered: number; readonly ended: number },
  ran: number | undefined,
) {
  const { recall } = frame.engine.durable;
  const present = roundOf(frame, key, entered + ended);
  const last = entered === 0 && frame.reuse ? recall.get(key)?.branches?.get(id) : undefined;
  const round = last?.ok ? last.round : present;
  const before = (earlier: number): number => recall.get(keyIn(earlier))?.attempts ?? 0;
  const counted = Array.from({ length: round - 1 }, (_, index) => before(index + 1));
  return { key: keyIn(round), ran: ran ?? counted.reduce((sum, count) => sum + count, 0) };
}

const membersOf = (of: Group): readonly string[] => (of.kind === "parallel" ? of.group.agents : [of.group.agent.name]);

const digestOf = (frame: Frame, of: Group): string =>
  sha256(...membersOf(of).map((member) => frame.definitions.digest(member, "member", VERSION)));

function stepOf(frame: Frame, name: string): Step {
  const node = frame.nodes.get(name);
  if (node?.kind !== "step") throw new Error(`${name} is not a step`);
  return node.step;
}

async function runGroup(
  frame: Frame,
  of: Group,
  branches: readonly (Branch & { readonly step: Step })[],
  place: Place,
  done: Map<string, MemberEnd & { type: "ok" }>,
  ran: Map<string, number>,
): Promise<Attempted> {
  const { group, kind } = of;
  const { durable } = frame.engine;
  const telling = tell(frame, of, place.key);
  telling.started(branches.length);
  if (branches.length === 0) {
    frame.context.count(1);
    telling.empty();
  }
  const failures: { branch: Branch & { step: Step }; error: Envelope; unopted: boolean }[] = [];
  const where: GroupPlace = { group: group.name, isForEach: kind === "for_each", routes: group.routes };
  let finished = done.size;
  const kinds: string[] = [];
  let systemic: string | undefined;
  const stopsOthers = (end: MemberEnd): boolean => {
    if (isStop(end)) return end.type === "halted" || end.type === "limit";
    const hasFailed = end.type === "failed";
    // What an earlier drive recorded is no news about the world of today.
    if (hasFailed && !end.reused) kinds.push(end.error.kind);
    // Also after an item that went well: it may be the 10th.
    if (group.stop_on_systemic && kinds.length > 0) systemic ??= systemicKind(kinds, finished);
    return (hasFailed && group.failure_mode === "fail_fast") || systemic !== undefined;
  };

  const todo = branches.filter((branch) => !done.has(branch.id));
  const {
    value: ends,
    startedAt,
    endedAt,
  } = await durable.step(() =>
    durable.branches(
      todo,
      async (branch, signal) => {
        telling.memberStarted(branch);
        const { value: end, ...times } = await durable.timed(() =>
          runMember(frame, branch.step, branch, where, signal),
        );
        if (isStop(end) || !end.reused) finished += 1;
        if (end.type === "failed") {
          failures.push({ branch, error: end.error, unopted: end.unopted });
          ran.set(branch.id, end.attempts);
        } else if (end.type === "ok") done.set(branch.id, end);
        telling.memberEnded(
          branch,
          end,
          (times.endedAt - times.startedAt) / 1000,
          wasTold(frame, place.key, branch, end),
        );
        return end;
      },
      { concurrency: group.max_concurrent ?? Math.max(1, branches.length), signal: place.signal, stopsOthers },
    ),
  );

  const stop = stopOf(ends, place.signal, group.name);
  if (stop) return stop;
  const fields = groupFields(of, branches, done, failures);
  const elapsed = (endedAt - startedAt) / 1000;
  const first = failures.find(({ error }) => error.kind === systemic) ?? failures[0];
  const fails =
    first !== undefined && (systemic !== undefined || group.failure_mode !== "continue_on_error" || done.size === 0);
  telling.ended(fields, fails, elapsed);
  if (fails && first) {
    telling.failed(
      failures.map(({ branch, error }) => ({
        node: branch.step.name,
        ...(kind === "for_each" ? { item_key: branch.id } : {}),
        error,
      })),
    );
    const details = {
      ...first.error.details,
      group: { name: group.name, failed: failures.length, succeeded: done.size },
      ...(systemic ? { systemic: true } : {}),
    };
    return {
      type: "outcome",
      outcome: failed({ ...first.error, details } as Envelope, fields),
      ...(first.unopted ? { unopted: true as const } : {}),
    };
  }
  if (failures.length > 0) frame.lost.set(group.name, failures.length);
  else frame.lost.delete(group.name);
  const reused = branches.length > 0 && ends.every((end) => end !== undefined && !isStop(end) && end.reused);
  return { type: "outcome", outcome: { ok: true, output: fields }, reused };
}

/** What ends the run from inside a group. A pause waits until every other member is done, which it is here. */
function stopOf(ends: readonly (MemberEnd | undefined)[], signal: AbortSignal, group: string): Stop | undefined {
  const stops = ends.filter((end): end is Stop => end !== undefined && isStop(end));
  const hard = stops.find((end) => end.type === "halted" || end.type === "limit");
  if (hard) return hard;
  if (signal.aborted) return { type: "cancelled", node: group };
  // Siblings that fail_fast cancelled are no stop of the run.
  return stops.find((end) => end.type === "paused");
}
