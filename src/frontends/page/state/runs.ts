// The list of runs: pages of it as one scrolls, rows that change while one looks, the days above it. What is filtered is
// in the address.
import { batch, signal } from "@preact/signals";
import type { DayJson, RunRowJson, RunsJson, RunsQuery } from "../../server/contract/runs.ts";
import { get } from "../api/client.ts";
import { followList } from "../api/stream.ts";
import type { Query } from "./address.ts";
import { ServerAsking } from "./loaded.ts";

export interface Filters {
  readonly status: readonly string[];
  readonly workflow: string;
  readonly kind: string;
  readonly text: string;
  readonly since: string;
  /** One day of the bars, 2026-11-15. */
  readonly day: string;
}

export const filtersIn = ({
  status = "",
  workflow = "",
  kind = "",
  text = "",
  since = "",
  day = "",
}: Query): Filters => ({ status: status.split(",").filter(Boolean), workflow, kind, text, since, day });

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some(({ length }) => length > 0);

const DAY_MS = 24 * 3600 * 1000;

/** `customer=acme` is looked for among the inputs of runs. */
const INPUT = /^[\w-]+=./;

export function questionOf({ status, day, since, text, ...filters }: Filters): RunsQuery {
  const begins = day ? new Date(`${day}T00:00:00`) : null;
  return {
    ...filters,
    ...(INPUT.test(text) ? { input: text } : { text }),
    status: status.join(","),
    since: begins?.toISOString() ?? since,
    until: begins ? new Date(begins.getTime() + DAY_MS).toISOString() : undefined,
    tz: -new Date().getTimezoneOffset(),
    limit: 200,
  };
}

const COUNT_AGAIN_MS = 1500;

export class RunList extends ServerAsking {
  readonly rows = signal<readonly RunRowJson[] | undefined>(undefined);
  readonly days = signal<readonly DayJson[]>([]);
  readonly total = signal(0);
  /** Of the fleet: those that did not answer. */
  readonly cellsAway = signal<readonly string[]>([]);
  readonly workflows = signal<readonly string[]>([]);
  readonly kinds = signal<readonly string[]>([]);
  #next: string | null = null;
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stopFollowing: () => void;

  constructor(readonly filters: Filters) {
    super();
    this.#stopFollowing = followList(({ rows, removed }) => this.#changed(rows, removed));
    void this.load();
  }

  override stop(): void {
    super.stop();
    this.#stopFollowing();
    clearTimeout(this.#timer);
  }

  /** The first page, again. */
  readonly load = (): Promise<void> => this.#first(() => []);

  /** The rows after those that are there. */
  async more(): Promise<void> {
    if (this.#next === null || this.#isLoading) return;
    await this.#ask(this.#next, (answer) => {
      const known = new Set(this.rows.value?.map(({ run_id }) => run_id));
      this.rows.value = [...(this.rows.value ?? []), ...answer.runs.filter(({ run_id }) => !known.has(run_id))];
      this.#next = answer.next;
    });
  }

  /** @param rest the rows that stay after those of the answer */
  #first(rest: (answer: RunsJson) => readonly RunRowJson[]): Promise<void> {
    return this.#ask(undefined, (answer) => {
      const kept = rest(answer);
      this.rows.value = [...answer.runs, ...kept];
      this.days.value = answer.days;
      this.workflows.value = answer.workflows;
      this.kinds.value = answer.kinds;
      if (kept.length === 0) this.#next = answer.next;
    });
  }

  async #ask(cursor: string | undefined, take: (answer: RunsJson) => void): Promise<void> {
    this.#isLoading = true;
    await this.attempt(async () => {
      const answer = await get<RunsJson>("/api/runs", { ...questionOf(this.filters), cursor }, this.signal);
      batch(() => {
        take(answer);
        this.total.value = answer.total;
        this.cellsAway.value = answer.incomplete?.cells ?? [];
      });
    });
    this.#isLoading = false;
  }

  /** Rows that are here change at once; whether a new one belongs here, and the days, the server knows. */
  #changed(changed: readonly RunRowJson[], removed: readonly string[]): void {
    const rows = this.rows.value;
    if (!rows || (changed.length === 0 && removed.length === 0)) return;
    const fresh = new Map(changed.map((row) => [row.run_id, row]));
    this.rows.value = rows.flatMap((row) => (removed.includes(row.run_id) ? [] : [fresh.get(row.run_id) ?? row]));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const before = this.rows.value ?? [];
      void this.#first(({ runs, next }) => {
        const first = new Set(runs.map(({ run_id }) => run_id));
        const last = runs.at(-1)?.started_at ?? "";
        return next === null ? [] : before.filter((row) => !first.has(row.run_id) && row.started_at <= last);
      });
    }, COUNT_AGAIN_MS);
  }
}
