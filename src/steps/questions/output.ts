// What the answers to a list of questions come to: the step's output, with a transcript that can go into a prompt.
import type { PreparedQuestions } from "./prepare.ts";

export type AnswerSource = "choice" | "free_text" | "default" | "skipped";

export interface QuestionsAnswers {
  readonly answers: readonly { readonly id: string; readonly answer: string; readonly source: AnswerSource }[];
  readonly outcome: "completed" | "skipped_remaining" | "aborted";
}

export interface QuestionsOutput {
  readonly answers: Readonly<Record<string, string>>;
  readonly items: readonly {
    readonly id: string;
    readonly question: string;
    readonly answer: string;
    readonly source: AnswerSource;
    readonly skipped: boolean;
  }[];
  readonly transcript: string;
  readonly answered_count: number;
  readonly skipped_count: number;
  readonly answered_any: boolean;
  readonly outcome: QuestionsAnswers["outcome"];
}

/** Questions without an answer count as skipped; answers to questions that were not asked do not count. */
export function questionsOutput(
  { questions }: PreparedQuestions,
  { answers, outcome }: QuestionsAnswers,
): QuestionsOutput {
  // Who went back and answered again meant the last answer.
  const given = new Map(answers.map((answer) => [answer.id, answer]));
  const items = questions.map(({ id, text }) => {
    const { answer, source } = given.get(id) ?? { answer: "", source: "skipped" as const };
    const skipped = source === "skipped";
    return { id, question: text, answer: skipped ? "" : answer, source, skipped };
  });
  const answered = items.filter((item) => !item.skipped);
  return {
    answers: Object.fromEntries(answered.map(({ id, answer }) => [id, answer])),
    items,
    transcript: items.map((item) => `Q: ${item.question}\nA: ${item.skipped ? "(skipped)" : item.answer}`).join("\n\n"),
    answered_count: answered.length,
    skipped_count: items.length - answered.length,
    answered_any: answered.length > 0,
    outcome,
  };
}
