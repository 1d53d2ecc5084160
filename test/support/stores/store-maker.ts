// What a host hands to the conformance tests: stores to try, and how to see one as another machine sees it.
import { expect } from "vitest";
import type { Awaitable } from "../../../src/base/awaitable.ts";
import type { RunEvent } from "../../../src/base/events/registry.ts";
import { newRunId } from "../../../src/storage/run-index.ts";
import type { Events } from "../../../src/storage/run-reader.ts";
import type { RunStore } from "../../../src/storage/store.ts";

export interface StoreOptions {
  readonly now?: () => number;
  /** Milliseconds that pass whatever the clock says; as `now` counts them when left out. */
  readonly elapsed?: () => number;
  readonly host?: string;
}

export interface StoreMaker {
  /** After so long without a new sign of life a process on another machine counts as dead to who watched it. */
  readonly silenceMs: number;
  /** A store with nothing in it. It is closed when the test ends. */
  fresh(options?: StoreOptions): Awaitable<RunStore>;
  /** The same store once more, as another process has it. */
  again(store: RunStore, options?: StoreOptions): Awaitable<RunStore>;
}

/** A run that is driven, in a store of its own. */
export async function driven(make: StoreMaker) {
  const store = await make.fresh();
  return { store, run: await store.createRun(someRun()) };
}

/** For what may throw or reject. */
export const refused = (work: () => unknown) => expect((async () => work())()).rejects;

export const someRun = (runId: string = newRunId()) => ({
  runId,
  workflow: "release",
  file: "/w/release.yaml",
  durability: "process" as const,
});

/** An event that carries any output. */
export const output = (seq: number, value: unknown, runId = "r"): RunEvent => ({
  seq,
  ts: "2026-01-01T00:00:00.000Z",
  type: "agent_completed",
  run_id: runId,
  path: [],
  data: { agent_name: "a", agent_type: "set", key: `a#${seq}`, attempt: 1, elapsed: 0, output: value },
});

export async function all(events: Events): Promise<readonly RunEvent[]> {
  const found: RunEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

export const numbers = async (events: Events): Promise<readonly number[]> => (await all(events)).map(({ seq }) => seq);
