// What a run used up over all its drives: executions, money, time, and retries by way of another step. Limits go on
// counting where an earlier drive stopped.
import { nodePath } from "./key.ts";
import type { EventData } from "./registry.ts";

type Path = readonly string[];

export class Ledger {
  /** Retries by way of another step, by its place and route. */
  readonly retryVia = new Map<string, number>();
  readonly executionsIn = new Map<string, number>();
  executions = 0;
  spentUsd = 0;
  drives = 0;
  readonly #spentBy = new Map<string, number>();
  /** Steps whose calls are told one by one: what their end sums up is counted already. */
  readonly #metered = new Set<string>();
  #driveStart: string | null = null;
  #lastAt: string | null = null;
  #activeBefore = 0;

  spentIn(prefix: string): number {
    let usd = 0;
    for (const [key, spent] of this.#spentBy) if (key.startsWith(prefix)) usd += spent;
    return usd;
  }

  /** How long drives took; the time between them does not count. */
  get activeMs(): number {
    const drive = this.#driveStart && this.#lastAt ? Date.parse(this.#lastAt) - Date.parse(this.#driveStart) : 0;
    return this.#activeBefore + Math.max(0, drive);
  }

  protected heardAt(ts: string): void {
    this.#lastAt = ts;
  }

  protected driveBegan(ts: string): void {
    this.#activeBefore = this.activeMs;
    this.#driveStart = ts;
    this.drives += 1;
  }

  protected executed(path: Path): void {
    this.executions += 1;
    const frame = path.join("/");
    this.executionsIn.set(frame, (this.executionsIn.get(frame) ?? 0) + 1);
  }

  protected retriedVia(path: Path, { node, route }: EventData<"retry_scheduled">): void {
    const budget = `${nodePath(path, node)}:${route}`;
    this.retryVia.set(budget, (this.retryVia.get(budget) ?? 0) + 1);
  }

  protected called(path: Path, data: EventData<"agent_usage">): void {
    this.#metered.add(nodePath(path, data.agent_name));
    this.#spend(data);
  }

  protected summedUp(path: Path, data: EventData<"agent_completed"> | EventData<"agent_failed">): void {
    if (!this.#metered.has(nodePath(path, data.agent_name))) this.#spend(data);
  }

  #spend({ key = "", cost_usd }: { readonly key?: string; readonly cost_usd?: number | null }): void {
    if (!cost_usd) return;
    this.spentUsd += cost_usd;
    this.#spentBy.set(key, (this.#spentBy.get(key) ?? 0) + cost_usd);
  }
}
