// Which visit an event is about: by its key, or the latest of its node. Visits of the root that went well at once, without a
// person, are nearly all of a long run: each is kept as a few numbers, and its record is made anew when it is asked for.
import { nodePath } from "../key.ts";
import { isContainer } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import { type AttemptRecord, newVisit, type ReuseRecord, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];

export class VisitIndex {
  /** A number is the place of one that is settled. */
  readonly #visits = new Map<string, VisitRecord | number>();
  /** Keys, by path and name. */
  readonly #latest = new Map<string, string>();
  readonly #settled: SettledVisits | undefined;
  /** The visit of the root's file that was arrived at last. */
  #present: VisitRecord | undefined;

  /** `settles`: visits that were left are kept in few bytes, if there is little to them. */
  constructor(
    private readonly keepsHistory: boolean,
    settles: boolean,
  ) {
    this.#settled = settles ? new SettledVisits() : undefined;
  }

  /** By key, in the order in which they were first heard of. Where visits are settled it is made for this call. */
  get all(): ReadonlyMap<string, VisitRecord> {
    if (!this.#settled) return this.#visits as Map<string, VisitRecord>;
    return new Map([...this.#visits.keys()].map((key) => [key, this.shown(key)!]));
  }

  /** In the order in which they were first heard of. */
  keys(): Iterable<string> {
    return this.#visits.keys();
  }

  /** The visit of a key, made when it is first heard of. */
  at(path: Path, { key, agent_name }: { readonly key: string; readonly agent_name: string }): VisitRecord {
    let visit = this.get(key);
    if (!visit) {
      visit = newVisit({ key, node: agent_name, path }, this.keepsHistory);
      this.#visits.set(key, visit);
    }
    return visit;
  }

  get(key: string | undefined): VisitRecord | undefined {
    if (key === undefined) return undefined;
    const known = this.#visits.get(key);
    if (typeof known !== "number") return known;
    const visit = this.#made(known, key);
    this.#visits.set(key, visit);
    return visit;
  }

  /** The same to look at: what is done to one that is settled is lost. */
  shown(key: string): VisitRecord | undefined {
    const known = this.#visits.get(key);
    return typeof known === "number" ? this.#made(known, key) : known;
  }

  #made = (place: number, key: string): VisitRecord => this.#settled!.at(place, key, []);

  find(path: Path, key: string | undefined, node: string): VisitRecord | undefined {
    return key === undefined ? this.latest(path, node) : this.get(key);
  }

  latest(path: Path, node: string | null): VisitRecord | undefined {
    return node === null ? undefined : this.get(this.#latest.get(nodePath(path, node)));
  }

  arrived(path: Path, node: string, visit: VisitRecord): void {
    this.#latest.set(nodePath(path, node), visit.key);
    if (!this.#settled || path.length > 0 || visit === this.#present) return;
    const left = this.#present;
    this.#present = visit.group === undefined ? visit : undefined;
    const place = left && this.#settled.settle(left);
    if (left && place !== undefined) this.#visits.set(left.key, place);
  }
}

type Completed = EventData<"agent_completed">;

/** What many visits have in common. */
interface Shape {
  readonly node: string;
  readonly type: string;
  readonly drive: number;
  readonly definition: string | undefined;
}

/** What few visits have: fields of the event that ended it beside those of every event, and reuses. */
interface Rest {
  readonly data: Readonly<Record<string, unknown>>;
  readonly reuses: readonly ReuseRecord[];
}

class SettledVisits {
  readonly #shapes: Shape[] = [];
  /** Places in that list, by node: visits of a loop have the same. */
  readonly #shapeOfNode = new Map<string, number>();
  readonly #rests = new Map<number, Rest>();
  readonly #numbers = new Rows((size) => new Float64Array(size), NUMBERS);
  readonly #hashes = new Rows((size) => new Uint32Array(size), HASH_WORDS);
  readonly #times = new Times();

  /** Keeps the visit, and gives its place; nothing when there is more to it. */
  settle(visit: VisitRecord): number | undefined {
    const { history, attempts } = visit;
    const [attempt] = attempts;
    const { began, ended, ending } = attempt ?? {};
    if (!history || !attempt || !began || !ended || ending?.type !== "agent_completed") return undefined;
    if (attempts.length > 1 || attempt.number !== 1 || attempt.end !== "ok" || attempt.changes) return undefined;
    if (isContainer(visit.type) || visit.type !== attempt.type || !visit.outcome?.ok || !isBlank(visit))
      return undefined;
    const beganAt = this.#times.msOf(began.at);
    const endedAt = this.#times.msOf(ended.at);
    if (beganAt === undefined || endedAt === undefined) return undefined;
    const { agent_name, agent_type, key, elapsed, hash } = ending.data;
    if (key !== visit.key || agent_name !== visit.node || agent_type !== visit.type) return undefined;
    const shape = this.#shapeOf(visit.node, attempt);
    const place = this.#numbers.push([shape, began.seq, beganAt, ended.seq, endedAt, elapsed]);
    const words = wordsOf(hash);
    this.#hashes.push(words ?? NO_HASH);
    const data = fewHave(ending.data, words === undefined);
    if (data || history.reuses.length > 0) this.#rests.set(place, { data: data ?? {}, reuses: history.reuses });
    return place;
  }

  /** A new record of the visit at that place. */
  at(place: number, key: string, path: readonly string[]): VisitRecord {
    const number = (column: number): number => this.#numbers.at(place, column);
    const { node, type, drive, definition } = this.#shapes[number(0)]!;
    const rest = this.#rests.get(place);
    const began = { drive, seq: number(1), at: this.#times.timeOf(number(2)) };
    const ended = { drive, seq: number(3), at: this.#times.timeOf(number(4)) };
    const elapsed = number(5);
    const hash = rest && "hash" in rest.data ? (rest.data.hash as string | undefined) : this.#hashAt(place);
    const data = { agent_name: node, agent_type: type, key, attempt: 1, elapsed, hash };
    const attempt: AttemptRecord = {
      drive,
      number: 1,
      type,
      began,
      ended,
      end: "ok",
      definition,
      changes: undefined,
      command: undefined,
      ending: {
        seq: ended.seq,
        ts: ended.at,
        type: "agent_completed",
        run_id: "",
        path,
        data: (rest ? { ...data, ...rest.data } : data) as Completed,
      },
    };
    const visit = newVisit({ key, node, path }, true);
    visit.type = type;
    visit.attempts = [attempt];
    visit.outcome = { ok: true, output: undefined, elapsed, definition, hash };
    if (visit.history && rest) visit.history.reuses = rest.reuses;
    return visit;
  }

  #hashAt(place: number): string {
    let hash = HASH_PREFIX;
    for (let word = 0; word < HASH_WORDS; word++) hash += this.#hashes.at(place, word).toString(16).padStart(WORD, "0");
    return hash;
  }

  #shapeOf(node: string, { type, drive, definition }: Omit<Shape, "node">): number {
    const place = this.#shapeOfNode.get(node);
    const known = place === undefined ? undefined : this.#shapes[place];
    if (place !== undefined && known?.type === type && known.drive === drive && known.definition === definition)
      return place;
    this.#shapeOfNode.set(node, this.#shapes.length);
    return this.#shapes.push({ node, type, drive, definition }) - 1;
  }
}

/** Fields that are kept as numbers, or with the shape, or not at all. */
const KEPT_APART: ReadonlySet<string> = new Set<keyof Completed>([
  ...(["agent_name", "agent_type", "key", "attempt", "elapsed", "hash", "output"] as const),
]);

/** `withHash`: it is of another kind than others, or absent. */
function fewHave(data: Completed, withHash: boolean): Rest["data"] | undefined {
  let more: Record<string, unknown> | undefined = withHash ? { hash: data.hash } : undefined;
  const fields = data as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    if (KEPT_APART.has(name) || fields[name] === undefined) continue;
    more ??= {};
    more[name] = fields[name];
  }
  return more;
}

/** In a row: its shape, and of its attempt number and time of the event that began it, the same of its end, and seconds. */
const NUMBERS = 6;
const HASH_WORDS = 8;
const PAGE = 1024;

/** Rows of numbers, in pages that never move: an array that grows leaves its former places behind as garbage. */
class Rows<Page extends Float64Array | Uint32Array> {
  readonly #newPage: (size: number) => Page;
  readonly #width: number;
  readonly #pages: Page[] = [];
  #length = 0;

  constructor(newPage: (size: number) => Page, width: number) {
    this.#newPage = newPage;
    this.#width = width;
  }

  /** Gives the row's place. */
  push(row: readonly number[]): number {
    if (this.#length % PAGE === 0) this.#pages.push(this.#newPage(PAGE * this.#width));
    this.#pages.at(-1)?.set(row, (this.#length % PAGE) * this.#width);
    return this.#length++;
  }

  at(place: number, column: number): number {
    return this.#pages[Math.floor(place / PAGE)]![(place % PAGE) * this.#width + column]!;
  }
}

const HASH = /^sha256:[0-9a-f]{64}$/;
const HASH_PREFIX = "sha256:";
const WORD = 8;
const NO_HASH: readonly number[] = [];

/** Nothing for one of another kind. */
function wordsOf(hash: string | undefined): readonly number[] | undefined {
  if (hash === undefined || !HASH.test(hash)) return undefined;
  const words: number[] = [];
  for (let from = HASH_PREFIX.length; from < hash.length; from += WORD)
    words.push(Number.parseInt(hash.slice(from, from + WORD), 16));
  return words;
}

/** Times as texts and as numbers. What follows one another closely has the same one: the last is remembered. */
class Times {
  #text: string | undefined;
  #ms = Number.NaN;

  /** Nothing for a text that could not be made again from the number. */
  msOf(text: string): number | undefined {
    if (text === this.#text) return this.#ms;
    const ms = Date.parse(text);
    return Number.isFinite(ms) && this.timeOf(ms) === text ? ms : undefined;
  }

  timeOf(ms: number): string {
    if (this.#text === undefined || ms !== this.#ms) {
      this.#text = new Date(ms).toISOString();
      this.#ms = ms;
    }
    return this.#text;
  }
}

/** Whether a visit of the root's file has but attempts, outcome and reuses: no person, no error, no retry. */
function isBlank(visit: VisitRecord): boolean {
  const { history, path, retries, over } = visit;
  return (
    history !== undefined &&
    path.length === 0 &&
    retries.length === 0 &&
    over.attempts === 0 &&
    MORE.every((name) => visit[name] === undefined) &&
    history.parent === undefined &&
    FACTS.every((name) => history[name].length === 0)
  );
}

const MORE = [
  ...([
    "group",
    "itemKey",
    "earlier",
    "pendingRetry",
    "failures",
    "process",
    "session",
    "waitingSince",
    "held",
  ] as const),
  ...(["waitLeftSince", "asked", "deadline", "isNotified", "question", "questions", "answer", "branches"] as const),
  "askedBy",
] as const;

const FACTS = [
  ...(["errors", "readings", "recoveries", "routes", "asked", "requests", "answers", "reminders"] as const),
  ...(["members", "groupEnds", "children"] as const),
];
