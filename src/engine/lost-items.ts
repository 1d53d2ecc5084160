// Runs lost items again of a run that has ended on purpose. Each runs alone: the recorded path to it is replayed
// without recording anything, whatever the file says now, and nothing after it runs again.
import { isInside, withoutRounds } from "../base/events/key.ts";
import type { Recorded } from "../base/events/visits/recall.ts";
import type { WorkflowStep } from "../language/schema/index.ts";
import { childFrame } from "./children/child-work.ts";
import { NO_NAMES } from "./context/scope.ts";
import { isStop, type RaisedEnd, type Succeeded } from "./ends.ts";
import type { Fiber } from "./fiber.ts";
import type { Visit, WorkflowFrame } from "./frame.ts";
import { type Branch, branchesOf } from "./groups/branches.ts";
import { groupRecorder, type MemberEnd } from "./groups/group-output.ts";
import type { PreparedGroup } from "./groups/group-work.ts";
import { runMember } from "./groups/members.ts";
import { prepare } from "./visit/prepare.ts";
import { type RoutedEnd, readRecordedRoutes } from "./visit/read-routes.ts";
import { RetryBudget } from "./visit/route-retries.ts";
import type { FrameNode, Group, Member } from "./visit/work.ts";
import { workOfNode } from "./work-of.ts";

/** @param places keys of the items, without rounds: see `Reopening` */
export function runLostItems(frame: WorkflowFrame, places: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  return new LostItems(places).follow(frame, signal);
}

class LostItems {
  readonly #places: readonly string[];

  constructor(places: ReadonlySet<string>) {
    this.#places = [...places];
  }

  /** From the entry point along the recorded visits, as far as they go. */
  async follow(frame: WorkflowFrame, outer: AbortSignal): Promise<void> {
    const signal = frame.purse ? AbortSignal.any([outer, frame.purse.signal]) : outer;
    let current: string | undefined = frame.workflow.definition.workflow.entry_point;
    let ledBy: Visit["ledBy"];
    while (current !== undefined && !signal.aborted) {
      const node = frame.nodes.get(current);
      if (!node) return;
      const visit: Visit = {
        frame,
        work: workOfNode(frame, node),
        key: frame.visitKey(current),
        locals: NO_NAMES,
        ledBy,
        signal,
        fiber: frame.fiber,
        member: undefined,
        attemptsBefore: 0,
      };
      const recorded = frame.engine.durable.recall.get(visit.key);
      if (!recorded?.last) return;
      if (this.#hasPlaceAt(visit.key)) await this.#enter(visit, node, recorded);
      const routed = asRecorded(visit, recorded);
      if (!routed) return;
      const informed = frame.engine.guard?.visitEnded(visit, routed.end, routed.decision);
      if (informed) await informed;
      ledBy = routed.end.type === "raised" ? routed.end.error : undefined;
      current = nextOf(routed, current);
    }
  }

  /** Whether one of the items is this visit, a further pass of it, or inside it. */
  #hasPlaceAt(key: string): boolean {
    const place = withoutRounds(key);
    return this.#places.some((one) => one === place || one.startsWith(`${place}#`) || isInside(one, place));
  }

  async #enter(visit: Visit, node: FrameNode, recorded: Recorded): Promise<void> {
    if (node.kind !== "step") return this.#runGroup(visit, node, recorded);
    if (node.step.type === "workflow") await this.#followChild(visit, node.step);
  }

  async #followChild(
    visit: Pick<Visit, "frame" | "key" | "locals" | "signal" | "member" | "fiber">,
    step: WorkflowStep,
  ) {
    const inner = childFrame(visit.frame, step, visit);
    if (inner) await this.follow(inner, visit.signal);
  }

  async #runGroup(visit: Visit, node: Group, recorded: Recorded): Promise<void> {
    const prepared = prepare(visit);
    if (!prepared.ok) return;
    const { frame, key, signal } = visit;
    const { durable, guard } = frame.engine;
    const { items } = prepared.values as PreparedGroup;
    const all = branchesOf(frame, node, items, visit, { entered: 0, ended: 0, ran: new Map() });
    const wanted = all.filter((branch) => this.#hasPlaceAt(branch.key));
    const isLost = ({ id }: Branch): boolean => recorded.branches?.get(id)?.ok === false;
    const record = groupRecorder(frame, node, key);
    const run = async (branch: Branch, branchSignal: AbortSignal, fiber?: Fiber): Promise<MemberEnd | undefined> => {
      if (!isLost(branch)) {
        const member: Member = { group: node.name, routes: node.group.routes, ...itemOf(node, branch) };
        if (branch.step.type === "workflow")
          await this.#followChild({ ...visit, ...branch, signal: branchSignal, fiber, member }, branch.step);
        return undefined;
      }
      record.memberStarted(branch);
      const { value: end, ...times } = await durable.timed(() =>
        runMember(frame, node, branch, visit.ledBy, branchSignal, fiber),
      );
      record.memberEnded(branch, end, (times.endedAt - times.startedAt) / 1000);
      return end;
    };
    const concurrency = node.group.max_concurrent ?? Math.max(1, wanted.length);
    const { value: ends, ...times } = await durable.timed(() =>
      durable.branches(wanted, run, { concurrency, signal, fiber: visit.fiber, stopsOthers: () => false }),
    );
    const ended = ends.filter((end) => end !== undefined && !isStop(end));
    if (ended.length === 0) return;
    if (ended.some((end) => end?.type === "failed")) await guard?.continuedWithoutFailures(visit);
    const recovered = ended.filter((end) => end?.type === "ok").length;
    const failed = all.filter(isLost).length - recovered;
    const fields = { count: all.length, failed, succeeded: all.length - failed };
    record.ended(fields, recorded.last?.ok !== true, (times.endedAt - times.startedAt) / 1000);
  }
}

const itemOf = ({ kind }: Group, { id }: Branch) => (kind === "for_each" ? { item_key: id } : {});

/** The recorded end with its routes, which led on from it; nothing where they would not be read. */
function asRecorded(visit: Visit, recorded: Recorded): RoutedEnd | undefined {
  const { frame, work } = visit;
  const { last } = recorded;
  count(visit, recorded);
  const budget = new RetryBudget(frame, work, recorded);
  const end = last?.ok ? succeeded(visit, last.output) : failedWith(last);
  const routed = end && readRecordedRoutes(visit, end, budget);
  if (routed?.decision?.action === "retry") budget.spend(routed.decision);
  return routed;
}

function succeeded(visit: Visit, output: unknown): Succeeded {
  const { work } = visit;
  const prepared = work.leadsTo ? prepare(visit) : undefined;
  const to = prepared?.ok ? work.leadsTo?.(prepared.values, output) : undefined;
  return { type: "succeeded", output, reused: true, ...(to === undefined ? {} : { to }) };
}

const failedWith = (last: Recorded["last"]): RaisedEnd | undefined =>
  last?.error && {
    type: "raised",
    error: last.error,
    output: last.output,
    reused: true,
    ...(last.unopted ? { unopted: true } : {}),
  };

/** Templates may read how often steps ran. */
function count({ frame, work }: Visit, { attempts }: Recorded): void {
  if (work.step) frame.context.execute(attempts);
  frame.context.iterate(Math.max(1, attempts));
}

function nextOf({ decision }: RoutedEnd, current: string): string | undefined {
  if (decision?.action === "retry") return decision.via ?? current;
  return decision?.action === "go" && decision.to !== "$end" ? decision.to : undefined;
}
