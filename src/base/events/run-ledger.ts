// What a run used up over all its drives: money, time, hooks, and retries by way of another step. Limits go on counting
// where an earlier drive stopped.
import { nodePath } from "./key.ts";
import type { EventData, RunEvent } from "./registry.ts";
import { isBetweenDrives, isRunEnd } from "./run-end.ts";

type Path = readonly string[];

const msBetween = (from: string | null, to: string | null): number =>
  from !== null && to !== null ? Date.parse(to) - Date.parse(from) : 0;

/** A ledger as JSON: what a keyframe keeps of it. */
export interface PackedLedger {
  readonly retryVia: readonly (readonly [string, number])[];
  readonly spentUsd: number;
  readonly drives: number;
  readonly namedSessions: readonly (readonly [string, string])[];
  readonly metered: readonly string[];
  readonly hooks: readonly string[];
  readonly asked: readonly string[];
  readonly driveStart: string | null;
  readonly lastAt: string | null;
  readonly activeBefore: number;
  readonly isAtRest: boolean;
  readonly askedSince: string | null;
  readonly askedBefore: number;
}

export class RunLedger {
  /** Retries by way of another step, by its place and route. */
  readonly retryVia = new Map<string, number>();
  spentUsd = 0;
  drives = 0;
  readonly namedSessions = new Map<string, string>();
  readonly #spentBy = new Map<string, number>();
  /** Steps whose calls are recorded one by one: what their end sums up is counted already. */
  readonly #metered = new Set<string>();
  readonly #hooks = new Set<string>();
  #driveStart: string | null = null;
  #lastAt: string | null = null;
  #activeBefore = 0;
  #isAtRest = false;
  /** Visits that wait for a person or for a provider's limit, and since when there is one. */
  readonly #asked = new Set<string>();
  #askedSince: string | null = null;
  #askedBefore = 0;

  constructor(packed?: PackedLedger) {
    if (!packed) return;
    this.retryVia = new Map(packed.retryVia);
    this.namedSessions = new Map(packed.namedSessions);
    for (const place of packed.metered) this.#metered.add(place);
    for (const hook of packed.hooks) this.#hooks.add(hook);
    for (const question of packed.asked) this.#asked.add(question);
    this.spentUsd = packed.spentUsd;
    this.drives = packed.drives;
    this.#driveStart = packed.driveStart;
    this.#lastAt = packed.lastAt;
    this.#activeBefore = packed.activeBefore;
    this.#isAtRest = packed.isAtRest;
    this.#askedSince = packed.askedSince;
    this.#askedBefore = packed.askedBefore;
    // Which visits spent it does not matter any more: visits that begin from there on have other keys.
    this.#spentBy.set("", packed.spentUsd);
  }

  packed(): PackedLedger {
    return {
      retryVia: [...this.retryVia],
      spentUsd: this.spentUsd,
      drives: this.drives,
      namedSessions: [...this.namedSessions],
      metered: [...this.#metered],
      hooks: [...this.#hooks],
      asked: [...this.#asked],
      driveStart: this.#driveStart,
      lastAt: this.#lastAt,
      activeBefore: this.#activeBefore,
      isAtRest: this.#isAtRest,
      askedSince: this.#askedSince,
      askedBefore: this.#askedBefore,
    };
  }

  spentIn(prefix: string): number {
    let usd = 0;
    for (const [key, spent] of this.#spentBy) if (key.startsWith(prefix)) usd += spent;
    return usd;
  }

  hookRan(key: string): boolean {
    return this.#hooks.has(key);
  }

  /** How long drives took; neither the time between them counts, nor that in which a person or a reset was waited for. */
  get activeMs(): number {
    const drive =
      msBetween(this.#driveStart, this.#lastAt) - this.#askedBefore - msBetween(this.#askedSince, this.#lastAt);
    return this.#activeBefore + Math.max(0, drive);
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case "workflow_started":
      case "run_resumed":
        this.#activeBefore = this.activeMs;
        this.#driveStart = event.ts;
        this.#asked.clear();
        this.#askedSince = null;
        this.#askedBefore = 0;
        this.drives += 1;
        this.#isAtRest = false;
        break;
      case "workflow_failed":
        // A resume has another ending.
        for (const hook of this.#hooks) if (hook.endsWith(".on_error")) this.#hooks.delete(hook);
        break;
      case "hook_ran":
        if (event.data.key !== undefined) this.#hooks.add(event.data.key);
        break;
      case "agent_started":
        this.#goesOn(nodePath(event.path, event.data.key ?? ""), event.ts);
        break;
      case "agent_session":
        if (event.data.session_key !== undefined) this.namedSessions.set(event.data.session_key, event.data.id);
        break;
      case "agent_usage":
        this.#metered.add(nodePath(event.path, event.data.agent_name));
        this.#spend(event.data);
        break;
      case "agent_completed":
      case "agent_failed":
        // A call that waited for its breaker may have been refused in the end.
        this.#goesOn(nodePath(event.path, event.data.key ?? ""), event.ts);
        if (!this.#metered.has(nodePath(event.path, event.data.agent_name))) this.#spend(event.data);
        break;
      case "gate_presented":
      case "questions_presented":
        this.#waits(nodePath(event.path, event.data.key), event.ts);
        break;
      case "gate_resolved":
      case "questions_completed":
        this.#goesOn(nodePath(event.path, event.data.key ?? ""), event.ts);
        break;
      case "retry_scheduled":
      case "retry_awaited":
        if (event.data.until_reset) this.#waits(nodePath(event.path, event.data.key), event.ts);
        if (event.type === "retry_scheduled" && event.data.via !== undefined) this.#retriedVia(event.path, event.data);
        break;
      case "circuit_awaited":
        this.#waits(nodePath(event.path, event.data.key), event.ts);
        break;
      case "circuit_passed":
        this.#goesOn(nodePath(event.path, event.data.key), event.ts);
        break;
      default:
    }
    if (!isBetweenDrives(event, this.#isAtRest)) this.#lastAt = event.ts;
    if (isRunEnd(event)) this.#isAtRest = true;
  }

  #waits(visit: string, ts: string): void {
    this.#asked.add(visit);
    this.#askedSince ??= ts;
  }

  #goesOn(visit: string, ts: string): void {
    if (!this.#asked.delete(visit)) return;
    if (this.#asked.size > 0 || this.#askedSince === null) return;
    this.#askedBefore += msBetween(this.#askedSince, ts);
    this.#askedSince = null;
  }

  #retriedVia(path: Path, { node, route }: EventData<"retry_scheduled">): void {
    const budget = `${nodePath(path, node)}:${route}`;
    this.retryVia.set(budget, (this.retryVia.get(budget) ?? 0) + 1);
  }

  #spend({ key = "", cost_usd }: { readonly key?: string; readonly cost_usd?: number | null }): void {
    if (!cost_usd) return;
    this.spentUsd += cost_usd;
    this.#spentBy.set(key, (this.#spentBy.get(key) ?? 0) + cost_usd);
  }
}
