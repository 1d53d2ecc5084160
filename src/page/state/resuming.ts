// The run that the user is about to resume: the dialog opens in one place, wherever it was asked for.
import { signal } from "@preact/signals";
import type { ResumeBody } from "../../server/contract/writes.ts";
import { isReadOnly } from "./actions.ts";

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
