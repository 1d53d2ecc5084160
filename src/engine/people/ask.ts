// What a person can be asked during a run, what they may answer, and the notice that a question waits. Terminal, MCP,
// `segno gate` and the page all use this.
import type { GateOption } from "../../steps/human-gate/prepare.ts";
import type { QuestionItem } from "../../steps/questions/prepare.ts";
import type { Notify } from "../../steps/schema/waiting.ts";
import type { Fiber } from "../fiber.ts";

export type { GateOption, QuestionItem };

/** The text that an answer should have and has not: a no without its reason is no answer yet. */
export function missingText(
  { prompt_for, prompt_optional }: Pick<GateOption, "prompt_for" | "prompt_optional">,
  given: Readonly<Record<string, string>>,
): string | undefined {
  return prompt_for === undefined || prompt_optional || given[prompt_for]?.trim() ? undefined : prompt_for;
}

/** A question that an earlier drive of the run may have asked as well, in the same words. */
export interface AskedAnew {
  /** ISO time; absent in a run's first drive. It stands until there is an answer: one to what was asked before is none. */
  readonly asked_at?: string;
}

/** How long an answer is waited for, and whose counts. */
export interface Waiting extends AskedAnew {
  /** ISO time; an answer after it comes too late. */
  readonly deadline?: string;
  /** Names of people, or `alex@box`. Absent: anybody. */
  readonly approvers?: readonly string[];
  /** Who may not answer: the run's own starter. */
  readonly not_by?: string;
  /** Nor these: they resumed it with other inputs or another file, so what is asked about is theirs as well. */
  readonly nor_by?: readonly string[];
  /** Where only some may answer: a digest of the inputs that they answer about. An answer about others is none. */
  readonly about?: string;
}

export interface GateQuestion extends Waiting {
  readonly kind: "gate";
  readonly node: string;
  readonly key: string;
  /** Markdown. */
  readonly prompt: string;
  readonly options: readonly GateOption[];
}

export interface QuestionList extends Waiting {
  readonly kind: "questions";
  readonly node: string;
  readonly key: string;
  readonly prompt?: string;
  readonly questions: readonly QuestionItem[];
  readonly allow_back: boolean;
  readonly allow_skip: boolean;
  readonly allow_skip_all: boolean;
  readonly allow_abort: boolean;
}

/** A turn of an agent's dialog with a person. */
export interface DialogQuestion {
  readonly kind: "dialog";
  readonly node: string;
  readonly key: string;
  readonly prompt: string;
}

export type Question = GateQuestion | QuestionList | DialogQuestion;

/** Who answered, for the record. Set by Segno, never by what brings the answer. */
export interface Answerer {
  /** How the answer came: `terminal`, `cli`, `mcp:CLIENT`, `library`, `skip-gates`, `scenario` … */
  readonly by: string;
  /** The person: the name that the project gives them, or as far as the operating system knows: `alex@box`. */
  readonly person?: string;
  /** The same person's user on a machine, where that is known. Either name may stand in `approvers`. */
  readonly user?: string;
  /** Who they say they are. */
  readonly claims?: string;
}

export interface GateAnswer extends Answerer {
  readonly kind: "gate";
  readonly value: string;
  readonly additional_input: Readonly<Record<string, string>>;
}

export interface GivenAnswer {
  readonly id: string;
  readonly answer: string;
  readonly source: "choice" | "free_text" | "default" | "skipped";
}

export interface QuestionsAnswer extends Answerer {
  readonly kind: "questions";
  readonly answers: readonly GivenAnswer[];
  readonly outcome: "completed" | "skipped_remaining" | "aborted";
}

export interface DialogAnswer extends Answerer {
  readonly kind: "dialog";
  /** null ends the dialog. */
  readonly text: string | null;
}

export type Answer = GateAnswer | QuestionsAnswer | DialogAnswer;

/** An answer before Segno says whose it is. `by`: who gave it, as the sender knows them; recorded as a claim. */
export type Unsigned<One extends Answer = Answer> = One extends Answer
  ? Omit<One, keyof Answerer> & { readonly by?: string }
  : never;

/** What was answered, in a few words. */
export function answerText(answer: Answer): string {
  switch (answer.kind) {
    case "gate":
      return JSON.stringify(answer.value);
    case "questions":
      return answer.outcome === "aborted"
        ? "called off"
        : answer.answers.map(({ id, answer: text }) => `${id}: ${JSON.stringify(text)}`).join(", ");
    case "dialog":
      return JSON.stringify(answer.text);
  }
}

/** How far a list of questions has come, so that no answer is lost when it is broken off. */
export interface Progress {
  /** What was given before, to the first of the questions. */
  readonly given: readonly GivenAnswer[];
  /** Informed of each answer as soon as it is there. */
  answered(one: GivenAnswer): void;
}

/** How a question is asked. */
export interface Asking {
  readonly progress?: Progress;
  /** From the start, whatever was answered to it before: a resume from there, or of everything. */
  readonly anew?: boolean;
  /** Asks: until there is an answer, another branch of its group may go on in its place. */
  readonly fiber?: Fiber | undefined;
  /** Whether an answer does not count, because of who gave it. Such an answer leaves the question open. */
  readonly isRefused?: (answer: Answer) => boolean;
}

/** Time as the asker sees it; virtual in scenarios. */
export interface AskingClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Asks a person. `undefined`: no one to ask, the run pauses. Stops when the signal aborts (answered elsewhere). */
export type Asker = (
  question: Question,
  signal: AbortSignal,
  progress?: Progress,
  clock?: AskingClock,
) => Promise<Answer | undefined>;

export interface GateNotice {
  readonly notify: Notify;
  readonly question: GateQuestion | QuestionList;
  /** Of the file that the step is in. */
  readonly workflow: { readonly name: string; readonly dir: string };
  /** 0: it is asked now; from then on the reminders. */
  readonly reminder: number;
  readonly signal: AbortSignal;
}
