// A run that this program started: its id at once, its events while it goes on, its result at the end.
import type { Result } from "../../results/result.ts";
import type { RunEvent } from "../event.ts";
import { type RunResult, runResult } from "./run-result.ts";

/**
 * @example
 * const run = await createSegno().start("release.yaml", { inputs: { version: "1.2.0" } });
 * for await (const event of run.events()) if (event.type === "agent_failed") console.error(event.data.message);
 * const result = await run.result();
 */
export interface StartedRun<Output = unknown, Kind extends string = string> {
  readonly id: string;
  /** From its first event on, until it ends or pauses. */
  events(): AsyncIterableIterator<RunEvent>;
  /** How it went. Never rejects for what happens to the run. */
  result(): Promise<RunResult<Output, Kind>>;
  /** Stops it; it stays resumable. */
  cancel(): Promise<RunResult<Output, Kind>>;
}

/** Nothing was recorded: the file or the inputs are not valid, or the store cannot be used. */
export class NotStartedError extends Error {
  readonly result: RunResult;

  constructor(json: Result) {
    super(json.error ?? json.errors[0]?.message ?? "the run did not start");
    this.name = "NotStartedError";
    this.result = runResult(json);
  }
}

/** What drives the run, and tells of it. */
export interface Drive {
  readonly done: Promise<Result>;
  /** Its end is in `done`. */
  readonly stop: (id: string) => unknown;
  /** Its events again, from the journal. */
  readonly follow: (id: string, signal: AbortSignal) => AsyncIterable<RunEvent>;
}

export function startedRun<Output, Kind extends string>(id: string, drive: Drive): StartedRun<Output, Kind> {
  const result = async (): Promise<RunResult<Output, Kind>> => runResult(await drive.done);
  return {
    id,
    result,
    async *events() {
      const off = new AbortController();
      try {
        yield* drive.follow(id, off.signal);
      } finally {
        off.abort();
      }
    },
    async cancel() {
      await drive.stop(id);
      return result();
    },
  };
}
