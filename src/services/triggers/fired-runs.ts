// Runs of firings: who drives them depends on the store. In a home this process does; on a fleet they are placed, and
// whichever worker is free drives them. And of many at one moment: which this process starts first, and how many at once.
import type { Firing, Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Project } from "../project/read-project.ts";
import type { RunOrigin, RunRequest } from "../request.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { BY_TRIGGER } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { concealing } from "./concealed.ts";
import { asGivenInputs } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";

export interface FiredRuns {
  /** Whether the run of a firing is driven here. */
  has(runId: string): boolean;
  /** Starts, or goes on with, the run of a firing that this process has claimed. */
  start(firing: Firing, trigger: KnownTrigger): Promise<void>;
  /** Of a firing whose run is placed: settles it when the run has ended. False while it goes on. */
  settleIfOver(firing: Firing): Promise<boolean>;
  /** Ends the run of a firing that is over already. */
  cancel(runId: string): Promise<void>;
  /** Resolves when nothing that was started here goes on. */
  idle(): Promise<void>;
  /** Whatever goes on here is let go: another server goes on with it, or the next. */
  close(): Promise<void>;
}

export interface FiringGround {
  readonly store: RunStore;
  readonly firings: Firings;
  readonly project: Project;
  readonly session: Session;
  /** Where runs go on while the driver looks for more. */
  readonly runs: BackgroundRuns;
  /** A file that was just checked. */
  readonly checked: (file: string) => LoadedWorkflow | undefined;
  /** Called with a sentence about each firing that made no run, and about moments that were left out. */
  readonly said?: (sentence: string) => void;
}

export const sessionOfFirings = ({ session, project }: Pick<FiringGround, "session" | "project">): Session => ({
  ...session,
  cwd: project.dir,
  project: { ...session.project, people: project.settings },
});

export const runRequestOf = (
  { runId, body, group }: Firing,
  trigger: KnownTrigger,
): RunRequest & { readonly runId: string } => ({
  file: trigger.file,
  inputs: asGivenInputs((body.inputs ?? {}) as Readonly<Record<string, unknown>>),
  runId,
  queue: { key: group?.key, priority: trigger.priority },
  origin: { startedBy: `${BY_TRIGGER}${trigger.name}`, ...firedBy(body) },
});

function firedBy({ cause }: Firing["body"]): RunOrigin {
  const { person, changed_by } = (cause ?? {}) as { readonly person?: unknown; readonly changed_by?: unknown };
  return {
    ...(typeof person === "string" ? { firedBy: person } : {}),
    ...(Array.isArray(changed_by) ? { changedBy: changed_by.filter((one) => typeof one === "string") } : {}),
  };
}

/** A firing that cannot make a run is over, and is reported. */
export async function settleFailed(
  { firings, said, session }: FiringGround,
  runId: string,
  problem: string,
  trigger: KnownTrigger,
): Promise<void> {
  const reason = concealing(trigger, session.env).text(problem);
  await firings.settle(runId, "failed", reason);
  said?.(noRunText(trigger.name, reason));
}

export const noRunText = (name: string, reason: string): string => `The trigger ${name} started no run: ${reason}`;

/** Those of one key go on in the order of their making, at most so many at a time as its limit says. */
export const keyOf = ({ group, trigger }: Firing): string => group?.key ?? trigger;

/** So long a firing is left to the process that recorded it, while this one has others to start. */
const OTHERS_MS = 5000;

/** Ids of firings that this process recorded, until their runs are placed. */
export class FiredHere {
  #ids = new Set<string>();

  add(runId: string): void {
    this.#ids.add(runId);
  }

  /** Those of keys that this process just fired for, and old ones: the process of the others starts them. Else all. */
  first(waiting: readonly Firing[], now: number): readonly Firing[] {
    const ours = waiting.filter(({ runId, firedAt }) => this.#ids.has(runId) || now - Date.parse(firedAt) > OTHERS_MS);
    this.#ids = new Set(ours.map(({ runId }) => runId));
    const keys = new Set(ours.map(keyOf));
    return ours.length === 0 ? waiting : waiting.filter((firing) => keys.has(keyOf(firing)));
  }
}

/** So many at a time. All are done when it resolves, also when one has failed: no more begin then, and it throws. */
export async function sideBySide<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const failed: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && failed.length === 0; next = waiting.next())
      await work(next.value).catch((problem: unknown) => failed.push(problem));
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, line));
  if (failed.length > 0) throw failed[0];
}

/** One of each key, then the next of each: a thousand of one key keep no other waiting. */
export function roundRobin<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const counts = new Map<string, number>();
  const rounds: Item[][] = [];
  for (const item of items) {
    const round = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), round + 1);
    const others = rounds[round];
    if (others) others.push(item);
    else rounds.push([item]);
  }
  return rounds;
}
