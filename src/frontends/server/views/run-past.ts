// A run's past for those who look back: its fold at some moments, so that any moment is the one before it and a few
// events, and its log page by page.
import { gunzipSync, gzipSync } from "node:zlib";
import { nodePath } from "../../../base/events/key.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { heldBackIn } from "../../../base/events/secrets-in-events.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { type PackedState, packState } from "../../../base/events/state/packed-state.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import { applyTaken, type TakenRoute, type TakenRoutes } from "../../../base/events/taken-routes.ts";
import type { WatchedRun } from "./watched-run.ts";

const WANTED = 64;
const FIRST_EVERY = 200;

interface Picture {
  readonly state: PackedState;
  readonly taken: readonly TakenRoute[];
}

interface Kept {
  readonly seq: number;
  readonly at: string | null;
  /** As compressed JSON: a state of a thousand items is mostly repetition. */
  readonly text: Buffer;
  /** The events from this picture to the next, likewise: moving the slider does not wait for the journal. */
  events: readonly Buffer[];
  /** How many secrets were known when it was made: what is known since is taken out before it is shown. */
  readonly secretsKnown: number;
}

/** What scripts print and models say changes no picture. */
const NOT_IN_PICTURE: ReadonlySet<RunEvent["type"]> = new Set([
  "agent_message",
  "agent_reasoning",
  "agent_prompt_rendered",
  "agent_tool_start",
  "agent_tool_complete",
  "agent_turn_start",
]);

/** As a run grows, every second keyframe is dropped: there are never more than twice as many as are wanted. */
export class Keyframes {
  readonly #state: RunState;
  readonly #taken: TakenRoutes = new Map();
  #kept: Kept[];
  /** The events of the picture since the last one. */
  #since: RunEvent[] = [];
  #every = FIRST_EVERY;
  #position = 0;
  #reading: Promise<void> | undefined;

  constructor(private readonly run: WatchedRun) {
    this.#state = initialState(run.runId);
    this.#kept = [this.#keyframe(0, null)];
  }

  get every(): number {
    return this.#every;
  }

  get moments(): readonly { readonly seq: number; readonly at: string | null }[] {
    return this.#kept.map(({ seq, at }) => ({ seq, at }));
  }

  catchUp(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const until = this.run.position;
    if (this.#position >= until) return;
    // Of a run that is long already no more are made than are wanted: each holds the whole state.
    this.#every = Math.max(this.#every, Math.ceil(until / WANTED));
    for await (const stretch of this.run.stretches(this.#position, until, () => {}))
      for (const event of stretch) {
        if (this.#position - (this.#kept.at(-1)?.seq ?? 0) >= this.#every)
          this.#keep(this.#keyframe(this.#position, this.#state.lastAt));
        if (!NOT_IN_PICTURE.has(event.type)) this.#since.push(event);
        apply(this.#state, event);
        applyTaken(this.#taken, event);
        this.#position = event.seq;
      }
  }

  #keyframe(seq: number, at: string | null): Kept {
    const state = packState({ ...this.#state, seq });
    const text = compressed({ state, taken: [...this.#taken.values()] } satisfies Picture);
    return { seq, at, text, events: [], secretsKnown: this.run.secretsKnown };
  }

  #keep(keyframe: Kept): void {
    const before = this.#kept.at(-1);
    if (before) before.events = [compressed(this.#since)];
    this.#since = [];
    this.#kept.push(keyframe);
    if (this.#kept.length <= WANTED * 2) return;
    this.#every *= 2;
    // The one that goes leaves its events to the one before it.
    for (const [index, kept] of this.#kept.entries())
      if (index % 2 === 0) kept.events = [...kept.events, ...(this.#kept[index + 1]?.events ?? [])];
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
  }

  /** The keyframe at or before a moment, and the events of the picture from there to the next. */
  at(seq: number) {
    // The first is always there, and of number 0.
    const index = this.#kept.findLastIndex((kept) => kept.seq <= seq);
    const kept = this.#kept[index] as Kept;
    const isLast = index === this.#kept.length - 1;
    const until = this.#kept[index + 1]?.seq ?? this.#position;
    const events = [...kept.events.flatMap((text) => whole<RunEvent[]>(text)), ...(isLast ? this.#since : [])];
    const picture = whole<Picture>(kept.text);
    const keyframe = { seq: kept.seq, at: kept.at };
    if (kept.secretsKnown === this.run.secretsKnown) return { keyframe: { ...keyframe, ...picture }, events, until };
    const hidden = this.run.redactor.value(picture, { keys: "author" }) as Picture;
    return { keyframe: { ...keyframe, ...hidden }, events: events.map((event) => this.run.hidden(event)), until };
  }
}

const compressed = (value: unknown): Buffer => gzipSync(JSON.stringify(value), { level: 1 });
const whole = <Value>(text: Buffer): Value => JSON.parse(gunzipSync(text).toString()) as Value;

export interface LogQuery {
  readonly after?: number;
  readonly before?: number;
  readonly to?: number;
  readonly limit?: number;
  /** Comma-separated. */
  readonly type?: string;
  /** `package/verify`, or the key of a visit. */
  readonly step?: string;
  readonly text?: string;
}

const LIMIT = 500;
/** A page ends when so much is on it. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function logPage(run: WatchedRun, query: LogQuery) {
  const { limit = LIMIT } = query;
  const matches = matching(query);
  const about = { last_seq: run.position, ended: run.state.status !== "running" };
  if (query.before !== undefined)
    return { ...about, events: await lastBefore(run, query.before, limit, matches), next: query.before - 1 };
  const events: RunEvent[] = [];
  const until = Math.min(query.to ?? run.position, run.position);
  let bytes = 0;
  for await (const event of run.log(query.after ?? 0, until)) {
    if (!matches(event)) continue;
    if (events.length >= limit || bytes > MOST_BYTES) return { ...about, events, next: event.seq - 1 };
    events.push(event);
    bytes += JSON.stringify(event).length;
  }
  return { ...about, events, next: null };
}

/** Going back: a growing stretch before the number is read until there are enough. */
async function lastBefore(
  run: WatchedRun,
  before: number,
  limit: number,
  matches: (event: RunEvent) => boolean,
): Promise<readonly RunEvent[]> {
  for (let stretch = limit * 2; ; stretch *= 4) {
    const from = Math.max(0, before - 1 - stretch);
    const found: RunEvent[] = [];
    for await (const event of run.log(from, before - 1)) if (matches(event)) found.push(event);
    if (found.length >= limit || from === 0) return found.slice(-limit);
  }
}

function matching({ type, step, text }: LogQuery): (event: RunEvent) => boolean {
  const types = type === undefined ? undefined : new Set(type.split(","));
  const wanted = text?.toLowerCase();
  return (event) =>
    (types === undefined || types.has(event.type) || (types.has("script_output") && heldBackIn(event).length > 0)) &&
    (step === undefined || isAboutStep(event, step)) &&
    (wanted === undefined || JSON.stringify(event.data).toLowerCase().includes(wanted));
}

function isAboutStep({ path, data }: RunEvent, step: string): boolean {
  const { key, agent_name, node, from_agent, group_name, item_key } = data as unknown as Readonly<
    Record<string, string | undefined>
  >;
  if (step.includes("#")) return key === undefined ? isOfVisit(step, agent_name ?? node, item_key) : key === step;
  const name = agent_name ?? node ?? from_agent ?? group_name;
  return name !== undefined && nodePath(path, name) === step;
}

/** Of an event without a key: whether its names are those that a key is made of. */
function isOfVisit(key: string, name: string | undefined, item_key: string | undefined): boolean {
  if (name === undefined) return false;
  const last = key.slice(key.lastIndexOf("/") + 1);
  if (item_key !== undefined) return last.includes(`[${item_key}].${name}`);
  return new RegExp(`(^|[.])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(#\\d+)?$`).test(last);
}
