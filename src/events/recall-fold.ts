// The fold behind `remember`: what each visit came to, and who took care of it.
import type { Envelope } from "../errors/index.ts";
import { isContainer } from "./fold-steps.ts";
import { enclosingKeys, nodePath, visitKey } from "./key.ts";
import { POLICY_ROUTE } from "./policy-route.ts";
import { Ledger } from "./recall-ledger.ts";
import { discard, fail, forget, newVisit, type Visit } from "./recall-visit.ts";
import { type LastOutcome, questionText, type Recall, type Recorded } from "./recorded.ts";
import type { EventData, RunEvent } from "./registry.ts";

/** Failures of these ends are settled: a resume does not make them anew. */
const SETTLED: ReadonlySet<LastOutcome["routed"]> = new Set(["to", "again", "retry", "group"]);

export class RecallFold extends Ledger implements Recall {
  private readonly visits = new Map<string, Visit>();
  /** The latest key of a node, by path and name: for events that carry no key. */
  private readonly latest = new Map<string, string>();
  /** Visits whose last attempt failed and that nobody has taken care of. */
  private readonly open = new Set<Visit>();
  /** By sub-workflow: the error inside it that was kept or escalated last. */
  private readonly dealtInside = new Map<string, Envelope | undefined>();
  private readonly processes = new Map<number, Visit>();
  private readonly hooks = new Set<string>();
  /** A node's definition as it was last told, by path and name. */
  private readonly definitions = new Map<string, string>();

  get(key: string): Recorded | undefined {
    return this.visits.get(key);
  }

  hookRan(key: string): boolean {
    return this.hooks.has(key);
  }

  add(event: RunEvent): void {
    const { path } = event;
    switch (event.type) {
      case "workflow_started":
      case "run_resumed":
        this.driveBegan(event.ts);
        if (event.type === "run_resumed") this.startAnew(event.data);
        break;
      case "workflow_failed":
        this.discardOpen();
        break;
      case "hook_ran":
        if (event.data.key !== undefined) this.hooks.add(event.data.key);
        break;
      case "agent_started":
        this.started(path, event.data);
        break;
      case "agent_completed":
        this.ended(path, event.data, { ok: true, output: event.data.output, elapsed: event.data.elapsed });
        break;
      case "agent_failed":
        this.ended(path, event.data, {
          ok: false,
          // A step that gave nothing before it raised is not one that gave null: templates can tell.
          output: event.data.output,
          elapsed: event.data.elapsed,
          ...(event.data.error_type === "ValidationError" ? { unopted: true as const } : {}),
        });
        break;
      case "agent_cancelled":
        this.processEnded(this.visit(event.data.key));
        break;
      case "agent_reused":
        this.latest.set(nodePath(path, event.data.agent_name), event.data.key);
        this.reused(event.data);
        break;
      case "agent_usage":
        this.called(path, event.data);
        break;
      case "error_raised":
        this.raised(path, event.data);
        break;
      case "error_routed":
        this.routed(path, event.data);
        break;
      case "error_escalated":
      case "dead_lettered":
        this.dealt(event.data.key, true);
        break;
      case "escalation_failed":
        this.dealt(event.data.key, undefined);
        break;
      case "error_recovered":
        this.settle(this.find(path, event.data.key, event.data.node), "to");
        break;
      case "retry_scheduled":
        this.retryScheduled(path, event.data);
        break;
      case "parallel_completed":
      case "for_each_completed":
        if (!event.data.failed) this.absorb(nodePath(path, event.data.group_name));
        break;
      case "parallel_agent_completed":
        this.branchEnded(path, event.data.group_name, event.data.agent_name, true);
        break;
      case "for_each_item_completed":
        this.branchEnded(path, event.data.group_name, event.data.item_key, true);
        break;
      case "parallel_agent_failed":
        this.branchEnded(path, event.data.group_name, event.data.agent_name, false);
        break;
      case "for_each_item_failed":
        this.branchEnded(path, event.data.group_name, event.data.item_key, false);
        break;
      case "wait_started":
        if (event.data.key !== undefined) this.visit(event.data.key).waitingSince ??= Date.parse(event.ts);
        break;
      case "script_spawned":
        this.spawned(event.data);
        break;
      case "orphan_ended":
        this.processEnded(this.processes.get(event.data.pid));
        break;
      case "gate_presented": {
        const { key, prompt, options } = event.data;
        this.visit(key).asked = { prompt, options };
        break;
      }
      case "gate_resolved": {
        const { selected_option: selected, route, additional_input, answered_by, key } = event.data;
        const visit = this.visit(key);
        visit.answer = { kind: "gate", question: visit.asked, selected, route, additional_input, answered_by };
        break;
      }
      case "questions_presented": {
        const { key, prompt, questions } = event.data;
        this.visit(key).askedItems = new Map(questions.map((one) => [String(one.id), questionText(prompt, one)]));
        break;
      }
      case "questions_answered":
        this.answered(event.data);
        break;
      default:
    }
    this.heardAt(event.ts);
  }

  private visit(key: string): Visit {
    let visit = this.visits.get(key);
    if (!visit) {
      visit = newVisit();
      this.visits.set(key, visit);
    }
    return visit;
  }

  private find(path: readonly string[], key: string | undefined, node: string): Visit | undefined {
    const known = key ?? this.latest.get(nodePath(path, node));
    return known === undefined ? undefined : this.visits.get(known);
  }

  private started(path: readonly string[], data: EventData<"agent_started">): void {
    const visit = this.visit(data.key);
    visit.started = Math.max(visit.started, data.attempt);
    visit.retry = undefined;
    if (data.group !== undefined) visit.group = nodePath(path, data.group);
    this.latest.set(nodePath(path, data.agent_name), data.key);
    if (isContainer(data.agent_type)) {
      // It was entered again after it had failed, as a retry of letters does: how it failed is past.
      if (visit.last && !visit.last.ok) visit.last = undefined;
      return;
    }
    this.executed(path);
  }

  private ended(
    path: readonly string[],
    data: EventData<"agent_completed"> | EventData<"agent_failed">,
    outcome: Pick<LastOutcome, "ok" | "output" | "elapsed" | "unopted">,
  ): void {
    const visit = this.visit(data.key);
    visit.attempts += 1;
    visit.waitingSince = undefined;
    visit.last = outcome;
    if (data.hash !== undefined) visit.last.hash = data.hash;
    const place = nodePath(path, data.agent_name);
    if (data.definition !== undefined) this.definitions.set(place, data.definition);
    visit.last.definition = this.definitions.get(place);
    visit.retry = undefined;
    this.processEnded(visit);
    if (outcome.ok) {
      this.open.delete(visit);
      visit.failures = undefined;
    } else this.open.add(visit);
    this.summedUp(path, data);
  }

  private raised(path: readonly string[], data: EventData<"error_raised">): void {
    const visit = this.find(path, data.key, data.node);
    if (!visit) return;
    // After a success it is about the routes: the outcome stands, and the routes are read again.
    if (visit.last && !visit.last.ok) {
      visit.last.error = data.error;
      if (this.isDealtInside(data.key, data.error)) visit.last.dealtWith = true;
      fail(visit, data.error);
    }
    this.open.add(visit);
  }

  private routed(path: readonly string[], data: EventData<"error_routed">): void {
    const isAgain = data.action === "retry" && data.to === undefined;
    this.settle(this.find(path, data.key, data.node), isAgain ? "again" : data.action);
    if (data.action === "to" || (data.action === "retry" && data.to !== undefined))
      this.absorb(nodePath(path, data.node));
  }

  private settle(visit: Visit | undefined, routed: LastOutcome["routed"]): void {
    if (!visit) return;
    if (visit.last && !visit.last.ok) visit.last.routed = routed;
    if (SETTLED.has(routed)) this.open.delete(visit);
  }

  private dealt(key: string | undefined, with_: true | undefined): void {
    const last = key === undefined ? undefined : this.visits.get(key)?.last;
    if (!last || last.ok) return;
    last.dealtWith = with_;
    // It may cross into the parents, who are to leave it alone then.
    for (const outer of enclosingKeys(key ?? "")) this.dealtInside.set(outer, with_ && last.error);
  }

  private isDealtInside(key: string | undefined, { kind, raised_at }: Envelope): boolean {
    const inner = key === undefined ? undefined : this.dealtInside.get(key);
    return inner?.kind === kind && JSON.stringify(inner.raised_at) === JSON.stringify(raised_at);
  }

  /** A group went on, or was led away from: its failed members are dealt with. */
  private absorb(group: string): void {
    for (const visit of this.open) if (visit.group === group) this.settle(visit, "group");
  }

  private retryScheduled(path: readonly string[], data: EventData<"retry_scheduled">): void {
    const by = data.by ?? "route";
    if (data.via !== undefined) this.retriedVia(path, data);
    const visit = this.visit(data.key);
    const delay = data.delay_seconds * 1000;
    const { attempt, nth, max, route: index } = data;
    const wait = { until: Date.parse(data.until), delay, attempt, nth, max, route: index, by };
    visit.retry = data.via === undefined ? wait : { ...wait, via: data.via };
    this.settle(visit, data.via === undefined ? "again" : "retry");
    if (data.via !== undefined) return;
    visit.retried += 1;
    const route = by === "resilience" ? POLICY_ROUTE : data.route;
    visit.spentRetries[route] = (visit.spentRetries[route] ?? 0) + 1;
  }

  /** The run failed with what nobody handled: those visits are over, and a resume begins new ones under the same keys. */
  private discardOpen(): void {
    for (const visit of this.open) discard(visit);
    this.open.clear();
    for (const hook of this.hooks) if (hook.endsWith(".on_error")) this.hooks.delete(hook);
  }

  /** `--force` and `--from`: what is not reused then is not reused by a later resume either. */
  private startAnew({ force, from }: EventData<"run_resumed">): void {
    let isAnew = force === true;
    // In the order in which they were first met: what stands before the step was met before it.
    for (const [key, visit] of this.visits) {
      isAnew ||= from !== undefined && key === visitKey("", from, 1);
      if (isAnew) forget(visit);
    }
  }

  private reused(data: EventData<"agent_reused">): void {
    if (data.from_run === undefined || !("output" in data)) return;
    this.visit(data.key).last = { ok: true, hash: data.hash, output: data.output, elapsed: 0 };
  }

  /** A branch that is reused is told again; the round in which it really ended is the first. */
  private branchEnded(path: readonly string[], group: string, branch: string, ok: boolean): void {
    const key = this.latest.get(nodePath(path, group));
    if (key === undefined) return;
    const visit = this.visit(key);
    visit.branches ??= new Map();
    if (!ok || !visit.branches.get(branch)?.ok) visit.branches.set(branch, { ok, round: visit.retried + 1 });
  }

  private spawned({ key, pid, started_at }: EventData<"script_spawned">): void {
    const visit = this.visit(key);
    visit.spawned = { pid, started_at };
    this.processes.set(pid, visit);
  }

  private processEnded(visit: Visit | undefined): void {
    if (!visit?.spawned) return;
    this.processes.delete(visit.spawned.pid);
    visit.spawned = undefined;
  }

  private answered({ key, id, answer, source }: EventData<"questions_answered">): void {
    const visit = this.visit(key);
    const before = visit.answer?.kind === "questions" ? visit.answer.answers : {};
    const question = visit.askedItems?.get(id);
    visit.answer = { kind: "questions", answers: { ...before, [id]: { answer, source, question } } };
  }
}
