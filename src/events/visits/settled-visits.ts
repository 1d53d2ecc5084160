// Visits of the root that went well at their first attempt and that no person took part in: nearly all of a long run. Each is
// kept as a few numbers, and its record is made anew when it is asked for.
import { isContainer } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import { type AttemptRecord, isBlank, newVisit, type ReuseRecord, type VisitRecord } from "./visit-record.ts";

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

export class SettledVisits {
  readonly #shapes: Shape[] = [];
  /** Places in that list, by node: visits of a loop have the same. */
  readonly #shapeOfNode = new Map<string, number>();
  readonly #rests = new Map<number, Rest>();
  readonly #numbers = new Rows((size) => new Float64Array(size), NUMBERS);
  readonly #hashes = new Rows((size) => new Uint32Array(size), HASH_WORDS);

  /** Keeps the visit, and gives its place; nothing when there is more to it. */
  settle(visit: VisitRecord): number | undefined {
    const { history, attempts } = visit;
    const [attempt] = attempts;
    const { began, ended, ending } = attempt ?? {};
    if (!history || !attempt || !began || !ended || ending?.type !== "agent_completed") return undefined;
    if (attempts.length > 1 || attempt.number !== 1 || attempt.end !== "ok" || attempt.changes) return undefined;
    if (isContainer(visit.type) || visit.type !== attempt.type || !visit.outcome?.ok || !isBlank(visit))
      return undefined;
    const [beganAt, endedAt] = [Date.parse(began.at), Date.parse(ended.at)];
    if (timeOf(beganAt) !== began.at || timeOf(endedAt) !== ended.at) return undefined;
    const {
      agent_name,
      agent_type,
      key,
      attempt: _,
      elapsed,
      hash,
      definition,
      output: _output,
      ...data
    } = ending.data;
    if (key !== visit.key || agent_name !== visit.node || agent_type !== visit.type) return undefined;
    const words = hash === undefined ? [] : wordsOf(hash);
    const shape = this.#shapeOf({ ...attempt, node: visit.node });
    const place = this.#numbers.push([shape, began.seq, beganAt, ended.seq, endedAt, elapsed]);
    this.#hashes.push(words);
    const hasHash = words.length > 0;
    const more = { ...data, ...(definition === undefined ? {} : { definition }), ...(hasHash ? {} : { hash }) };
    const hasMore = !hasHash || Object.values(more).some((value) => value !== undefined);
    if (hasMore || history.reuses.length > 0) this.#rests.set(place, { data: more, reuses: history.reuses });
    return place;
  }

  /** A new record of the visit at that place. */
  at(place: number, key: string, path: readonly string[]): VisitRecord {
    const [shape, beganSeq, beganAt, endedSeq, endedAt, elapsed] = this.#numbers.at(place) as unknown as Numbers;
    const { node, type, drive, definition } = this.#shapes[shape]!;
    const rest = this.#rests.get(place);
    const began = { drive, seq: beganSeq, at: timeOf(beganAt) };
    const ended = { drive, seq: endedSeq, at: timeOf(endedAt) };
    const hash = rest && "hash" in rest.data ? (rest.data.hash as string | undefined) : hashOf(this.#hashes.at(place));
    const data = { agent_name: node, agent_type: type, key, attempt: 1, elapsed, hash, ...rest?.data } as Completed;
    const attempt: AttemptRecord = {
      ...{ drive, number: 1, type, began, ended, end: "ok", definition, changes: undefined, command: undefined },
      ending: { seq: ended.seq, ts: ended.at, type: "agent_completed", run_id: "", path, data },
    };
    const visit = newVisit({ key, node, path }, true);
    visit.type = type;
    visit.attempts = [attempt];
    visit.outcome = { ok: true, output: undefined, elapsed, definition, hash };
    if (visit.history && rest) visit.history.reuses = rest.reuses;
    return visit;
  }

  #shapeOf({ node, type, drive, definition }: Shape): number {
    const place = this.#shapeOfNode.get(node);
    const known = place === undefined ? undefined : this.#shapes[place];
    if (place !== undefined && known?.type === type && known.drive === drive && known.definition === definition)
      return place;
    this.#shapeOfNode.set(node, this.#shapes.length);
    return this.#shapes.push({ node, type, drive, definition }) - 1;
  }
}

/** Its shape, and of its attempt: number and time of the event that began it, the same of its end, and seconds. */
type Numbers = readonly [
  shape: number,
  beganSeq: number,
  beganAt: number,
  endedSeq: number,
  endedAt: number,
  elapsed: number,
];
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

  at(place: number): Page {
    const from = (place % PAGE) * this.#width;
    return this.#pages[Math.floor(place / PAGE)]!.subarray(from, from + this.#width) as Page;
  }
}

const HASH = /^sha256:[0-9a-f]{64}$/;
const WORD = 8;

/** Nothing for one of another kind. */
function wordsOf(hash: string): readonly number[] {
  if (!HASH.test(hash)) return [];
  const words: number[] = [];
  for (let from = "sha256:".length; from < hash.length; from += WORD)
    words.push(Number.parseInt(hash.slice(from, from + WORD), 16));
  return words;
}

const hashOf = (words: Iterable<number>): string =>
  `sha256:${Array.from(words, (word) => word.toString(16).padStart(WORD, "0")).join("")}`;

/** Nothing for what is no time. */
const timeOf = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : "");
