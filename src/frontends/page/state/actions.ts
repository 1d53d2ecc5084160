// What a user can do to a run from anywhere. A user who is too late sees who was first.
import { signal } from "@preact/signals";
import type { EventsJson } from "../../server/contract/log.ts";
import type { ActedJson, ResumeBody } from "../../server/contract/runs.ts";
import { about, apiPath, get, lateness, postJson } from "../api/client.ts";
import { say } from "../parts/toast.tsx";
import { messageOf } from "../text.ts";
import { addressOf, go } from "./address.ts";

export const isReadOnly = (): boolean => about.value?.read_only ?? false;

/** The newest event of a run of which only a row is known. */
export async function newestOf(run: string): Promise<number> {
  const { last_seq } = await get<EventsJson>(apiPath("runs", run, "events"), { after: 2 ** 40, limit: 1 });
  return last_seq;
}

/** Says what went wrong, or who was faster. */
export const sayProblem = (error: unknown): void => say(lateness(error) ?? messageOf(error));

/** Does it and says so, or says why not. */
export async function tell(act: () => Promise<string>): Promise<void> {
  await act().then(say, sayProblem);
}

/** The user has seen the plan before: `resuming`. */
export const resume = (run: string, seq: number, more: Omit<ResumeBody, "seq"> = {}): Promise<void> =>
  tell(async () => {
    await postJson<ActedJson>(apiPath("runs", run, "resume"), { seq, ...more });
    return "Resumed.";
  });

/** `seen`: the newest event when the person was asked. A drive that began after that is not theirs to end. */
export const cancel = (run: string, seen: Promise<number>): Promise<void> =>
  tell(async () => {
    await postJson<ActedJson>(apiPath("runs", run, "cancel"), { seq: await seen });
    return "Asked it to stop. What is done is kept; it can be resumed.";
  });

/** The form of the workflow, with the inputs of that run in it. */
export const again = (file: string, run: string): void => go(addressOf(workflowPath(file), { like: run }));

export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
export const workflowPath = (file: string): string => `/workflows/${file.split("/").map(encodeURIComponent).join("/")}`;

// The run that the user is about to resume: the dialog opens in one place, wherever it was asked for.

export interface ResumeWanted {
  readonly run: string;
  readonly workflow: string;
  /** Of the log, as the person saw it; left out: as it is when the plan is asked for. */
  readonly seq?: number | undefined;
  readonly more?: Omit<ResumeBody, "seq">;
}

export const resuming = signal<ResumeWanted | null>(null);

export const askToResume = (wanted: ResumeWanted): void => {
  if (!isReadOnly()) resuming.value = wanted;
};
