// The list of runs: pages of it as one scrolls, rows that change while one looks, the days above it. What is filtered is
// in the address.
import { batch, signal } from "@preact/signals";
import type { DayJson, RunRowJson, RunsJson, RunsQuery } from "../../server/contract/runs.ts";
import { get } from "../api/client.ts";
import { followList } from "../api/stream.ts";
import type { Query } from "./address.ts";

export interface Filters {
  readonly status: readonly string[];
  readonly workflow: string;
  readonly kind: string;
  readonly text: string;
  readonly since: string;
  /** One day of the bars, 2026-11-15. */
  readonly day: string;
}

export const filtersIn = (query: Query): Filters => ({
  status: (query["status"] ?? "").split(",").filter(Boolean),
  workflow: query["workflow"] ?? "",
  kind: query["kind"] ?? "",
  text: query["text"] ?? "",
  since: query["since"] ?? "",
  day: query["day"] ?? "",
});

export const isFiltered = ({ status, workflow, kind, text, since, day }: Filters): boolean =>
  status.length > 0 || [workflow, kind, text, since, day].some((value) => value !== "");

const DAY_MS = 24 * 3600 * 1000;

function questionOf({ status, workflow, kind, text, since, day }: Filters): RunsQuery {
  const begins = day ? new Date(`${day}T00:00:00`) : null;
  return {
    status: status.join(","),
    workflow,
    kind,
    text,
    since: begins ? begins.toISOString() : since,
    ...(begins ? { until: new Date(begins.getTime() + DAY_MS).toISOString() } : {}),
    tz: -new Date().getTimezoneOffset(),
    limit: 200,
  };
}

const COUNT_AGAIN_MS = 1500;

export class RunList {
  readonly rows = signal<readonly RunRowJson[] | undefined>(undefined);
  readonly days = signal<readonly DayJson[]>([]);
  readonly total = signal(0);
  /** Of the fleet: those that did not answer. */
  readonly cellsAway = signal<readonly string[]>([]);
  readonly workflows = signal<readonly string[]>([]);
  readonly kinds = signal<readonly string[]>([]);
  readonly problem = signal<string | null>(null);
  #next: string | null = null;
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #leaving = new AbortController();
  readonly #stopFollowing: () => void;

  constructor(readonly filters: Filters) {
    this.#stopFollowing = followList(({ rows, removed }) => this.#changed(rows, removed));
    void this.load();
  }

  stop(): void {
    this.#stopFollowing();
    this.#leaving.abort();
    clearTimeout(this.#timer);
  }

  /** The first page, again. */
  readonly load = async (): Promise<void> => {
    await this.#ask(undefined, (answer) => {
      this.rows.value = answer.runs;
      this.days.value = answer.days;
      this.workflows.value = answer.workflows;
      this.kinds.value = answer.kinds;
      this.#next = answer.next;
    });
  };

  /** The rows after those that are there. */
  async more(): Promise<void> {
    if (this.#next === null || this.#isLoading) return;
    await this.#ask(this.#next, (answer) => {
      const known = new Set(this.rows.value?.map(({ run_id }) => run_id));
      this.rows.value = [...(this.rows.value ?? []), ...answer.runs.filter(({ run_id }) => !known.has(run_id))];
      this.#next = answer.next;
    });
  }

  async #ask(cursor: string | undefined, take: (answer: RunsJson) => void): Promise<void> {
    this.#isLoading = true;
    try {
      const answer = await get<RunsJson>("/api/runs", { ...questionOf(this.filters), cursor }, this.#leaving.signal);
      batch(() => {
        take(answer);
        this.total.value = answer.total;
        this.cellsAway.value = answer.incomplete?.cells ?? [];
        this.problem.value = null;
      });
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Rows that are here change at once; whether a new one belongs here, and the days, the server knows. */
  #changed(changed: readonly RunRowJson[], removed: readonly string[]): void {
    const rows = this.rows.value;
    if (!rows || (changed.length === 0 && removed.length === 0)) return;
    const fresh = new Map(changed.map((row) => [row.run_id, row]));
    this.rows.value = rows.flatMap((row) => (removed.includes(row.run_id) ? [] : [fresh.get(row.run_id) ?? row]));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#freshen();
    }, COUNT_AGAIN_MS);
  }

  async #freshen(): Promise<void> {
    const before = this.rows.value ?? [];
    await this.#ask(undefined, (answer) => {
      const first = new Set(answer.runs.map(({ run_id }) => run_id));
      const last = answer.runs.at(-1)?.started_at ?? "";
      const rest = answer.next === null ? [] : before.filter((row) => !first.has(row.run_id) && row.started_at <= last);
      this.rows.value = [...answer.runs, ...rest];
      this.days.value = answer.days;
      this.workflows.value = answer.workflows;
      this.kinds.value = answer.kinds;
      if (rest.length === 0) this.#next = answer.next;
    });
  }
}
