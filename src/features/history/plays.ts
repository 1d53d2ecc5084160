// A workflow file played many times with answers drawn from past runs: how each play ends, and the shares of these
// ends.
import { setImmediate as turn } from "node:timers/promises";
import { keptIn } from "../../base/errors/mapping.ts";
import { callerOfSlot } from "../../base/events/key.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import type { Result } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { Refused } from "../../services/refusals.ts";
import type { Session } from "../../services/session/session.ts";
import type { RecordedAttempt, RecordedReply } from "../scenarios/recorded-answers.ts";
import { playRun } from "./play.ts";
import type { Answers } from "./recorded-world.ts";
import type { Recording } from "./recording.ts";

/** A past run, without what only a replay needs. */
export type Past = Omit<Recording, "events">;

export class DrawnAnswers implements Answers {
  readonly borrowed = new Set<string>();
  readonly #byStep = new Map<string, RecordedAttempt[]>();
  readonly #byType = new Map<string, RecordedAttempt[]>();
  /** Undefined stands for a run that still waits there: no answer is drawn as often as none was given. */
  readonly #replies = new Map<string, (RecordedReply | undefined)[]>();
  #state: number;

  constructor(
    private readonly past: readonly Past[],
    seed: number,
  ) {
    this.#state = seed;
    for (const { attempts, replies, state } of past) {
      for (const attempt of [...attempts.values()].flat()) {
        push(this.#byStep, stepOf(attempt), attempt);
        push(this.#byType, attempt.type, attempt);
      }
      for (const reply of replies.values()) push(this.#replies, reply.node, reply);
      if (state.status === "paused") for (const { node } of state.gates.values()) push(this.#replies, node, undefined);
    }
  }

  run(): Past {
    return this.#one(this.past) as Past;
  }

  attempt({ node, path }: { readonly node: string; readonly path: readonly string[] }, _: string, type = "") {
    const own = this.#byStep.get(stepOf({ node, path }));
    if (!own) this.borrowed.add(stepOf({ node, path }));
    return this.#one(own ?? this.#byType.get(type) ?? []);
  }

  reply({ node }: { readonly node: string }) {
    return this.#one(this.#replies.get(node) ?? []);
  }

  isOpen(): boolean {
    return true;
  }

  #one<Item>(list: readonly Item[]): Item | undefined {
    return list[Math.floor(this.#next() * list.length)];
  }

  /** The same numbers for the same seed, on every machine. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Items of one group are one step. */
const stepOf = ({ node, path }: { readonly node: string; readonly path: readonly string[] }): string =>
  [...path, node].map(callerOfSlot).join("/");

function push<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  keptIn(map, key, () => []).push(item);
}

/** Shares of plays, 0 to 1. */
export interface Shares {
  readonly completed: number;
  readonly degraded: number;
  readonly failed: number;
  /** Waits for a person, as past runs still do, or because no answer was ever recorded. */
  readonly waiting: number;
  /** Came to a step of whose type nothing is known. */
  readonly unknown: number;
}

export const NONE: Shares = { completed: 0, degraded: 0, failed: 0, waiting: 0, unknown: 0 };

interface Failure {
  /** The kind, the step that terminated the run, or the limit that ended it. */
  readonly name: string;
  /** Whether an error route could take it. */
  readonly isRoutable: boolean;
}

export interface PlayEnded {
  readonly end: keyof Shares;
  /** What made it fail. */
  readonly failure?: Failure | undefined;
  readonly seconds: number;
  readonly cost: number;
  readonly asked: readonly RecordedAttempt[];
}

export async function playMany(
  workflow: LoadedWorkflow,
  drawn: DrawnAnswers,
  session: Session,
  { plays, onProgress }: { readonly plays: number; readonly onProgress?: (done: number, total: number) => void },
): Promise<readonly PlayEnded[]> {
  const outcomes: PlayEnded[] = [];
  for (let play = 1; play <= plays; play += 1) {
    outcomes.push(await playOnce(workflow, drawn, session));
    onProgress?.(play, plays);
    if (play % 20 === 0) await turn();
  }
  return outcomes;
}

async function playOnce(workflow: LoadedWorkflow, drawn: DrawnAnswers, session: Session): Promise<PlayEnded> {
  const recording = { ...drawn.run(), events: [] };
  try {
    const { result, events, asked, unanswered } = await playRun(recording, workflow, drawn, session);
    const attempts = asked.map(({ recorded }) => recorded);
    const end = unanswered ? "unknown" : endOf(result.status, result.exit_code);
    return {
      end,
      failure: end === "failed" ? failureOf(result) : undefined,
      seconds: secondsOf(events),
      cost: attempts.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0),
      asked: attempts,
    };
  } catch (problem) {
    // The inputs of that run do not fit the file any more.
    if (!(problem instanceof Refused)) throw problem;
    return { end: "unknown", seconds: 0, cost: 0, asked: [] };
  }
}

function failureOf({ status, termination, errors }: Result): Failure | undefined {
  if (status === "terminated" && termination) return { name: termination.terminated_by, isRoutable: false };
  const kind = errors.find((error) => error.kind)?.kind;
  if (kind) return { name: kind, isRoutable: kind !== "halt.intentional" };
  const limit = errors[0]?.error_type;
  return limit === undefined ? undefined : { name: limit, isRoutable: false };
}

export function endOf(status: string, exitCode: number | null): keyof Shares {
  if (status === "paused") return "waiting";
  if (status === "degraded") return "degraded";
  return status === "completed" || (status === "terminated" && exitCode === 0) ? "completed" : "failed";
}

function secondsOf(events: readonly RunEvent[]): number {
  const [first, last] = [events[0], events.at(-1)];
  return first && last ? (Date.parse(last.ts) - Date.parse(first.ts)) / 1000 : 0;
}

export function endShares(ends: readonly (keyof Shares)[]): Shares {
  const shares: Record<keyof Shares, number> = { ...NONE };
  for (const end of ends) shares[end] += 1 / ends.length;
  return rounded(shares);
}

export const rounded = <Values extends Record<string, number>>(values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(value * 10_000) / 10_000]),
  ) as Values;

export function failureShares(outcomes: readonly PlayEnded[], plays: number): Record<string, number> {
  const failures = new Map<string, number>();
  for (const { failure } of outcomes)
    if (failure) failures.set(failure.name, (failures.get(failure.name) ?? 0) + 1 / plays);
  return rounded(Object.fromEntries(failures));
}
