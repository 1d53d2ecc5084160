// All that a run recorded, read once from its journal: its state, its story with what happened beside the steps, and the files
// of each drive.
import { limitText } from "../../base/events/limit-text.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { changedFilesText } from "../../base/events/state/warnings.ts";
import { VisitFold, withoutOutput } from "../../base/events/visits/visit-fold.ts";
import { cameTo } from "../../base/events/visits/visit-places.ts";
import type { VisitRecord } from "../../base/events/visits/visit-record.ts";
import type { Redactor } from "../../base/redact/index.ts";
import { redactEvent } from "../../base/results/index.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { PinnedDefinition } from "../reading/definition.ts";
import { beginsDrive, eachEvent, redactorFor } from "../reading/read-run.ts";
import type { Session } from "../session/session.ts";
import { type DriveStory, driveStory, type EnvironmentOf } from "./drive-story.ts";
import { Editions } from "./editions.ts";
import type { Note } from "./story.ts";

export interface ReadStory {
  readonly state: RunState;
  readonly fold: StoryFold;
  readonly editions: Editions;
  readonly redactor: Redactor;
  /** The files of each drive that the fold has a chapter of. */
  readonly definitions: readonly PinnedDefinition[];
  readonly latest: PinnedDefinition;
}

/** What scripts print and models say is no part of the story, and most of the journal. */
const NOT_IN_STORY: ReadonlySet<RunEvent["type"]> = new Set([
  "script_output",
  "agent_message",
  "agent_reasoning",
  "agent_prompt_rendered",
]);

export async function readStory(reader: RunReader, session: Session): Promise<ReadStory> {
  const redactor = await redactorFor(reader, session);
  const state = initialState(reader.runId);
  const editions = await Editions.read(reader, session);
  const fold = new StoryFold((path, node, before, now) =>
    editions.environmentOf(path, node, before, now > state.drives ? "now" : now),
  );
  await eachEvent(reader.events(), (event) => {
    apply(state, event);
    editions.add(event);
    if (NOT_IN_STORY.has(event.type)) fold.passed(event);
    else fold.add(redactEvent(withoutOutput(event), redactor));
  });
  const definitions = fold.chapters.map(({ drive }) => editions.ofDrive(drive));
  return { state, fold, editions, redactor, definitions, latest: definitions.at(-1) ?? editions.ofDrive(1) };
}

/**
 * From a run's events to the stories of its drives. The run's state keeps the latest of each step; a story needs what came
 * before it, which the fold of visits has.
 */
class StoryFold {
  readonly #fold = new VisitFold({ history: true, settles: true });
  readonly #notes: Note[][] = [];
  #wouldRun = new Map<string, string>();
  #isCutOff = false;
  #read: readonly DriveStory[] | undefined;

  constructor(private readonly environmentOf: EnvironmentOf) {}

  add(event: RunEvent): void {
    this.#read = undefined;
    this.#fold.add(event);
    if (beginsDrive(event)) {
      this.#notes.push([]);
      this.#wouldRun = new Map();
      this.#isCutOff = false;
    }
    const note = noteOf(event);
    const notes = this.#notes.at(-1);
    // All items of a group say the same of their step's files.
    const isNew = event.type !== "agent_reused" || !notes?.some(({ message }) => message === note?.message);
    if (note && isNew) notes?.push(note);
  }

  /** An event that is no part of the story: it tells how long a drive went on that was cut off. */
  passed(event: RunEvent): void {
    this.#read = undefined;
    this.#fold.passed(event);
  }

  /** No more events will come, and no process drives the run. */
  cutOff(): void {
    this.#read = undefined;
    this.#isCutOff = true;
  }

  wouldRun(key: string, definition: string): void {
    this.#read = undefined;
    this.#wouldRun.set(key, definition);
  }

  /** Visits of the root's file up to that event, as the drive came to them that recorded it. */
  cameTo(seq: number): Iterable<VisitRecord> {
    return cameTo(this.#fold.drives, seq);
  }

  get chapters(): readonly DriveStory[] {
    const { drives } = this.#fold;
    const context = { drives, environmentOf: this.environmentOf, isCutOff: this.#isCutOff, wouldRun: this.#wouldRun };
    this.#read ??= drives.map((drive, index) => driveStory(drive, { ...context, notes: this.#notes[index] ?? [] }));
    return this.#read;
  }
}

function noteOf(event: RunEvent): Note | undefined {
  const note = (about: Note["about"], node_id: string | null, message: string): Note => ({
    at: event.ts,
    about,
    node_id,
    message,
  });
  switch (event.type) {
    case "circuit_opened": {
      const { breaker, failures, retry_after_seconds: seconds } = event.data;
      const how = `opened after ${failures} failures; it lets calls through again after ${seconds} s`;
      return note("breaker", null, `${breaker} ${how}`);
    }
    case "circuit_half_opened":
      return note("breaker", null, `${event.data.breaker} let a probe through`);
    case "circuit_closed":
      return note("breaker", null, `${event.data.breaker} closed`);
    case "circuit_awaited": {
      const { node, breaker, until, item_key } = event.data;
      const what = item_key === undefined ? "" : `item ${item_key} `;
      return note("breaker", node, `${what}waits until the circuit ${breaker} lets it through, at most until ${until}`);
    }
    case "circuit_passed": {
      const { node, breaker, waited_seconds, item_key } = event.data;
      const what = item_key === undefined ? "" : `item ${item_key} `;
      return note(
        "breaker",
        node,
        `${what}was let through by the circuit ${breaker} after ${Math.round(waited_seconds)} s`,
      );
    }
    case "dead_lettered": {
      const { node, kind, letter, item_key } = event.data;
      const what = item_key === undefined ? kind : `${kind} of item ${item_key}`;
      return note("letter", node, `${what} is kept as letter ${letter}`);
    }
    case "keyframe_resumed": {
      const why = "nothing that they depend on has changed";
      return note("retry", null, `the first ${event.data.visits} visits were reused together: ${why}`);
    }
    case "items_retried": {
      const { items, by } = event.data;
      const who = by === undefined ? "" : `${by} had `;
      const what = items.length === 1 ? "a lost item" : `${items.length} lost items`;
      return note("retry", null, `${who}${what} run again, after the run's end`);
    }
    case "dead_letter_resolved":
      return note("letter", event.data.node, `letter ${event.data.letter} is resolved`);
    case "error_escalated":
      return event.data.failed
        ? undefined
        : note("escalation", event.data.node, `${event.data.kind} was handed to ${event.data.by}`);
    case "escalation_failed":
      return note("escalation", event.data.node, `handing on ${event.data.kind} did not work: ${event.data.message}`);
    case "policy_evaluated":
      return event.data.allowed ? undefined : note("policy", event.data.node, denials(event.data.verdicts));
    case "iteration_limit_reached":
      return note("limit", event.data.agent_name, `${limitText(event.data)} was used up`);
    case "iteration_limit_resolved":
      return note("limit", null, `${event.data.additional_iterations} more iterations were allowed`);
    case "budget_exceeded": {
      const { agent_name, spent_usd, budget_usd } = event.data;
      return note("limit", agent_name, `$${spent_usd} was spent, the budget is $${budget_usd}`);
    }
    case "hook_ran": {
      const { ok, hook, exit_code, message = `exit code ${exit_code}` } = event.data;
      return ok ? undefined : note("hook", null, `hook ${hook} failed: ${message}`);
    }
    case "orphan_ended": {
      const { agent_name, pid } = event.data;
      return note("warning", agent_name, `process group ${pid} had outlived its driver and was ended`);
    }
    case "agent_reused": {
      const { agent_name, changed_files = [] } = event.data;
      if (changed_files.length === 0) return undefined;
      return note("warning", agent_name, changedFilesText(agent_name, changed_files));
    }
    case "warning":
      return note("warning", event.data.node, event.data.message);
    case "errors_jsonl_write_failed":
      return note("warning", null, `errors.jsonl could not be written: ${event.data.reason}`);
    default:
      return undefined;
  }
}

/** Who refused, and why; those that allowed it are not worth a word. */
function denials(verdicts: readonly Readonly<Record<string, unknown>>[]): string {
  const denied = verdicts.filter((verdict) => verdict.allowed === false);
  return denied
    .map(({ policyName, reason }) => `${String(policyName)} refused it${reason ? `: ${String(reason)}` : ""}`)
    .join("; ");
}
