// From a run's events to its chapters. The run's state keeps the latest of each step; a story needs what came before it.
// Members of groups are counted, not told one by one, so that 50 000 items fit on one line.
import { nodePath } from "../../events/key.ts";
import type { EventData, EventType, RunEvent } from "../../events/registry.ts";
import { noteOf } from "./notes.ts";
import { type EnvironmentOf, type OpenChapter, Telling } from "./telling.ts";
import { shellOf } from "./visit-record.ts";

type Readers = {
  readonly [Type in EventType]?: (telling: Telling, data: EventData<Type>, event: RunEvent) => void;
};

const READERS: Readers = {
  workflow_started: (telling, _, { ts }) => telling.begin(ts, 1),
  run_resumed: (telling, data, { ts }) => telling.begin(ts, data.drive, data),
  workflow_completed: (telling, { is_explicit, degraded, termination_reason }, { ts }) =>
    telling.end(ts, is_explicit ? "terminated" : degraded ? "degraded" : "completed", termination_reason ?? null),
  workflow_failed(telling, { is_explicit, message, agent_name, error }, { ts, path }) {
    telling.unreadable(path, agent_name, error);
    telling.end(ts, is_explicit ? "terminated" : "failed", message);
  },
  subworkflow_failed: (telling, { slot, error }, { path }) =>
    telling.unreadable([...path, slot], error?.raised_at.node ?? null, error),
  run_paused: (telling, { reason }, { ts }) => telling.end(ts, "paused", reason),
  run_cancelled: (telling, { reason }, { ts }) => telling.end(ts, "cancelled", reason),

  agent_started(telling, data, { path }) {
    const visit = telling.visit(path, data);
    visit.attempts = data.attempt;
    visit.status = "running";
  },
  script_started: (telling, { agent_name, key, command, args }, { path }) =>
    telling.commands.set(key ?? nodePath(path, agent_name), [command, ...args].join(" ")),
  agent_completed(telling, data) {
    const visit = telling.ended(data, "ok");
    if (!visit) return;
    visit.status = "completed";
    visit.reason = data.is_explicit ? data.termination_reason : undefined;
  },
  agent_failed(telling, data, { path }) {
    const visit = telling.ended(data, "failed");
    if (!visit) return;
    visit.status = "failed";
    visit.reason = data.is_explicit ? data.termination_reason : undefined;
    visit.shell = shellOf(
      data.output,
      telling.commands.get(visit.key) ?? telling.commands.get(nodePath(path, visit.node)),
    );
  },
  agent_cancelled(telling, data, { path }) {
    const visit = telling.find(path, data.key, data.agent_name);
    if (!visit) return;
    visit.status = "cancelled";
    visit.elapsedMs += data.elapsed * 1000;
    telling.member(visit, "cancelled");
  },
  agent_reused(telling, data, { path }) {
    const visit = telling.visit(path, data);
    visit.status = "reused";
    visit.reusedKind = data.kind;
    telling.member(visit, "reused");
  },

  error_raised(telling, { node, key, error }, { path }) {
    const visit = telling.find(path, key, node);
    if (!visit) return;
    if (visit.errors.length === 0) telling.chapter.troubled.push(visit);
    visit.errors.push(error);
    visit.status = "failed";
  },
  error_routed(telling, data, { path }) {
    const visit = telling.find(path, data.key, data.node);
    if (!visit) return;
    visit.reading = { considered: data.considered ?? [], routed: data };
    if (data.to !== undefined) telling.taken(visit);
  },
  error_unhandled(telling, { node, considered }, { path }) {
    const visit = telling.find(path, undefined, node);
    if (visit) visit.reading = { considered };
  },
  error_recovered(telling, { node, key, by }, { path }) {
    const visit = telling.find(path, key, node);
    if (!visit) return;
    visit.recoveredBy = by;
    telling.taken(visit);
  },
  retry_scheduled(telling, { node, key, attempt, nth, max, delay_seconds, by = "route", via }, { path }) {
    const retry = { attempt, nth: nth ?? attempt, max, delay_seconds, by, ...(via === undefined ? {} : { via }) };
    telling.find(path, key, node)?.retries.push(retry);
  },
  gate_resolved(telling, { agent_name, key, selected_option }, { path }) {
    const visit = telling.find(path, key, agent_name);
    if (visit) visit.answer = selected_option;
  },

  parallel_started: (telling, data, { path }) => telling.groupStarted(path, data, data.agents.length),
  for_each_started: (telling, data, { path }) => telling.groupStarted(path, data, data.item_count),
  parallel_agent_completed: (telling, { group_name, agent_name, recovered }, { path }) =>
    telling.memberEnded(path, group_name, agent_name, recovered ? "recovered" : "completed"),
  parallel_agent_failed: (telling, { group_name, agent_name }, { path }) =>
    telling.memberEnded(path, group_name, agent_name, "failed"),
  for_each_item_completed: (telling, { group_name, item_key, recovered }, { path }) =>
    telling.memberEnded(path, group_name, item_key, recovered ? "recovered" : "completed"),
  for_each_item_failed: (telling, { group_name, item_key }, { path }) =>
    telling.memberEnded(path, group_name, item_key, "failed"),
  subworkflow_started: (telling, { key, slot }, { path }) => telling.calls(path, key, slot),
};

export class StoryFold {
  readonly #telling: Telling;

  constructor(environmentOf: EnvironmentOf = () => undefined) {
    this.#telling = new Telling(environmentOf);
  }

  get chapters(): readonly OpenChapter[] {
    return this.#telling.chapters;
  }

  add(event: RunEvent): void {
    const read = READERS[event.type] as
      | ((telling: Telling, data: RunEvent["data"], event: RunEvent) => void)
      | undefined;
    read?.(this.#telling, event.data, event);
    const note = noteOf(event);
    if (note) this.#telling.chapter.notes.push(note);
    this.#telling.lastAt = event.ts;
  }

  /** No more events will come, and nobody drives the run. */
  cutOff(): void {
    this.#telling.cutOff();
  }

  /** In a rehearsal: a step that would run. */
  wouldRun(key: string, definition: string): void {
    this.#telling.wouldRun(key, definition);
  }
}
