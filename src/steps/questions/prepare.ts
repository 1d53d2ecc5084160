// `type: questions`. The list a person is asked, from the file or from an earlier step, and what the answers come to.
import { isMapping } from "../../base/errors/mapping.ts";
import { type Context, coerce, compile } from "../../template/index.ts";
import { BadValue, type Preparer } from "../step-type.ts";
import { renderText } from "../values.ts";
import type { QuestionsStep } from "./schema.ts";

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

export interface PreparedQuestions {
  readonly prompt?: string;
  readonly questions: readonly QuestionItem[];
  readonly allow_back: boolean;
  readonly allow_skip: boolean;
  readonly allow_skip_all: boolean;
  readonly allow_abort: boolean;
  readonly abort_route?: string;
  /** The output is as in Conductor: numbers in the transcript, no skipped questions, null for a skipped answer. */
  readonly isNumbered?: true;
}

export const questions: Preparer<QuestionsStep, PreparedQuestions> = {
  type: "questions",
  version: 1,

  prepare(step, scope) {
    const names = scope.everything ?? scope.names;
    const { allow_back, allow_skip, allow_skip_all, allow_abort, abort_route } = step;
    const list = step.questions ? fromFile(step.questions, names) : fromSource(step.source ?? "", names);
    return {
      ...(step.prompt === undefined ? {} : { prompt: renderText(step.prompt, names) }),
      questions: withIds(list),
      allow_back,
      allow_skip,
      allow_skip_all,
      allow_abort,
      ...(abort_route === undefined ? {} : { abort_route }),
      ...(scope.workflow.rules?.numbersQuestions ? { isNumbered: true as const } : {}),
    };
  },
};

type Unnamed = Omit<QuestionItem, "id"> & { readonly id?: string };

function fromFile(list: NonNullable<QuestionsStep["questions"]>, names: Context): Unnamed[] {
  const text = (source: string): string => renderText(source, names);
  return list.map(({ hint, choices, default: standard, ...question }) => ({
    ...question,
    text: text(question.text),
    ...(hint === undefined ? {} : { hint: text(hint) }),
    ...(choices === undefined ? {} : { choices: choices.map(text) }),
    ...(standard === undefined ? {} : { default: text(standard) }),
  }));
}

/** `source` is a reference such as `architect.output.open_questions`; a JSON text of a list will do as well. */
function fromSource(source: string, names: Context): Unnamed[] {
  const found = compile(source.includes("{{") ? source : `{{ ${source} }}`).value(names);
  const list = typeof found === "string" ? coerce(found) : found;
  if (!Array.isArray(list)) throw new BadValue("source", found, "a list of questions is needed");
  return list.map((item, index) => fromItem(item, `source[${index}]`, names));
}

function fromItem(item: unknown, field: string, names: Context): Unnamed {
  if (typeof item === "string") return { ...DEFAULTS, text: verbatimUnlessItRenders(item, names) };
  const text = isMapping(item) ? (item.text ?? item.question) : undefined;
  if (!isMapping(item) || typeof text !== "string")
    throw new BadValue(field, item, "a question is a text, or an object with `text`");
  const choices = Array.isArray(item.choices) && item.choices.length > 0 ? item.choices.map(String) : undefined;
  return {
    ...(item.id === undefined || item.id === null ? {} : { id: String(item.id) }),
    text: verbatimUnlessItRenders(text, names),
    ...(typeof item.hint === "string" ? { hint: item.hint } : {}),
    ...(choices ? { choices } : {}),
    // A question that neither offers choices nor takes text could not be answered at all.
    allow_free_text: choices ? item.allow_free_text !== false : true,
    ...(item.default === undefined || item.default === null ? {} : { default: String(item.default) }),
    required: item.required === true,
    multiline: item.multiline !== false,
  };
}

const DEFAULTS = { allow_free_text: true, required: false, multiline: true } as const;

/** Text from a model may hold braces that are no template. */
function verbatimUnlessItRenders(text: string, names: Context): string {
  try {
    return renderText(text, names);
  } catch {
    return text;
  }
}

function withIds(list: readonly Unnamed[]): QuestionItem[] {
  const seen = new Set<string>();
  return list.map((question, index) => {
    const id = question.id ?? `q${index + 1}`;
    if (seen.has(id)) throw new BadValue(`questions[${index}].id`, id, "each question needs an id of its own");
    seen.add(id);
    return { ...question, id };
  });
}

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
    readonly answer: string | null;
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
  { questions, isNumbered }: PreparedQuestions,
  { answers, outcome }: QuestionsAnswers,
): QuestionsOutput {
  // Who went back and answered again meant the last answer.
  const given = new Map(answers.map((answer) => [answer.id, answer]));
  const items = questions.map(({ id, text }, index) => {
    const { answer, source } = given.get(id) ?? { answer: "", source: "skipped" as const };
    const skipped = source === "skipped";
    const said = skipped ? "(skipped)" : answer;
    return {
      item: { id, question: text, answer: skipped ? (isNumbered ? null : "") : answer, source, skipped },
      line: `${isNumbered ? `Q${index + 1}. ` : "Q: "}${text}\nA: ${said}`,
    };
  });
  const answered = items.map(({ item }) => item).filter((item) => !item.skipped);
  return {
    answers: Object.fromEntries(answered.map(({ id, answer }) => [id, answer ?? ""])),
    // A list that was called off says nothing of the questions that were not come to.
    items: items.map(({ item }) => item).filter(({ id }) => !isNumbered || outcome !== "aborted" || given.has(id)),
    transcript: items
      .filter(({ item }) => !isNumbered || !item.skipped)
      .map(({ line }) => line)
      .join("\n\n"),
    answered_count: answered.length,
    skipped_count: (isNumbered && outcome === "aborted" ? answers.length : items.length) - answered.length,
    answered_any: answered.length > 0,
    outcome,
  };
}
