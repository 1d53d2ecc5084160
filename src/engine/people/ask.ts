// What a person can be asked during a run, and what they may answer. Terminal, MCP, `segno gate` and the page all use this.

export interface GateOption {
  readonly label: string;
  readonly value: string;
  readonly route?: string;
  readonly description?: string;
  /** Name of a text that this option asks for as well. */
  readonly prompt_for?: string;
  readonly multiline?: boolean;
}

export interface GateQuestion {
  readonly kind: "gate";
  readonly node: string;
  readonly key: string;
  /** Markdown. */
  readonly prompt: string;
  readonly options: readonly GateOption[];
}

export interface QuestionItem {
  readonly id: string;
  readonly text: string;
  readonly hint?: string;
  readonly choices?: readonly string[];
  readonly allow_free_text: boolean;
  readonly default?: string;
  readonly required: boolean;
  readonly multiline: boolean;
}

export interface QuestionList {
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

export interface GateAnswer {
  readonly kind: "gate";
  readonly value: string;
  readonly additional_input: Readonly<Record<string, string>>;
  /** `terminal`, `cli`, `mcp`, `skip-gates`, `scenario` … */
  readonly by: string;
}

export interface GivenAnswer {
  readonly id: string;
  readonly answer: string;
  readonly source: "choice" | "free_text" | "default" | "skipped";
}

export interface QuestionsAnswer {
  readonly kind: "questions";
  readonly answers: readonly GivenAnswer[];
  readonly outcome: "completed" | "skipped_remaining" | "aborted";
  readonly by: string;
}

export interface DialogAnswer {
  readonly kind: "dialog";
  /** null ends the dialog. */
  readonly text: string | null;
  readonly by: string;
}

export type Answer = GateAnswer | QuestionsAnswer | DialogAnswer;

/** How far a list of questions has come, so that no answer is lost when it is broken off. */
export interface Progress {
  /** What was given before, to the first of the questions. */
  readonly given: readonly GivenAnswer[];
  /** Informed of each answer as soon as it is there. */
  answered(one: GivenAnswer): void;
}

/** Asks a person. `undefined`: nobody is there, the run pauses. Stops asking when the signal aborts (somebody else answered). */
export type Asker = (question: Question, signal: AbortSignal, progress?: Progress) => Promise<Answer | undefined>;
