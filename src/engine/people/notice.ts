// The notice that is sent when a gate or questions wait for an answer.
import type { Notify } from "../../steps/schema/waiting.ts";
import type { GateQuestion, QuestionList } from "./ask.ts";

export interface GateNotice {
  readonly notify: Notify;
  readonly question: GateQuestion | QuestionList;
  /** Of the file that the step is in. */
  readonly workflow: { readonly name: string; readonly dir: string };
  /** 0: it is asked now; from then on the reminders. */
  readonly reminder: number;
  readonly signal: AbortSignal;
}
