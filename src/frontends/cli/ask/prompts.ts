// What a terminal can be asked: to choose one, to write something, and a list of questions built from these two. All of it can
// be tested without a terminal.
import type {
  GivenAnswer as Given,
  Progress,
  QuestionItem,
  QuestionList,
  QuestionsAnswer,
  Unsigned,
} from "../../../engine/people/ask.ts";
import { USUAL_COLUMNS } from "../output.ts";
import { plain, plainButColors } from "../text/harmless.ts";

/** The person pressed Ctrl-C, or the question was withdrawn. */
export const LEFT = Symbol("left");
export type Left = typeof LEFT;

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface Writing {
  readonly multiline?: boolean;
  readonly placeholder?: string;
  readonly initial?: string;
  /** A sentence when the text will not do. */
  readonly refuse?: (text: string) => string | undefined;
}

export interface Prompts {
  choose<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initial?: Value,
  ): Promise<Value | Left>;
  write(message: string, writing?: Writing): Promise<string | Left>;
  /** Shows text that is no question. */
  show(text: string): void;
}

/** Prompts on stderr, so that stdout stays the workflow's output alone. */
export async function clackPrompts(signal: AbortSignal): Promise<Prompts> {
  const clack = await import("@clack/prompts");
  // Escape would end the whole run; only Ctrl-C should.
  clack.settings.aliases.delete("escape");
  if (process.stderr.columns === 0) process.stderr.columns = USUAL_COLUMNS;
  const common = { output: process.stderr, input: process.stdin, signal };
  return {
    choose: async (message, choices, initial) => {
      // clack's own option type asks for more when the value could be an object; ours are strings.
      const options = choices.map(({ value, label, hint }): { value: string; label: string; hint?: string } => {
        return { value, label: plain(label), hint: hint && plain(hint) };
      });
      const chosen = await clack.select({ ...common, message: plain(message), options, initialValue: initial });
      return choices.find(({ value }) => value === chosen)?.value ?? LEFT;
    },
    write: async (message, { multiline, placeholder, initial, refuse } = {}) => {
      const ask = multiline ? clack.multiline : clack.text;
      const written = await ask({
        ...common,
        message: multiline ? `${plain(message)} (Enter twice to finish)` : plain(message),
        placeholder: placeholder && plain(placeholder),
        initialValue: initial,
        validate: (value: string | undefined) => refuse?.(value ?? ""),
      });
      return typeof written === "string" ? written : clack.isCancel(written) ? LEFT : "";
    },
    show: (text) => {
      process.stderr.write(`${plainButColors(text)}\n`);
    },
  };
}

/** Whether the user says yes; `No` stands first. */
export async function confirmed(question: string): Promise<boolean> {
  const { choose } = await clackPrompts(new AbortController().signal);
  const chosen = await choose(question, [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes" },
  ]);
  return chosen === "yes";
}

type Move = Given | "back" | "skip_all" | "abort" | Left;
type Menu = "write" | "default" | "skip" | "skip_all" | "back" | "abort";

export async function askQuestions(
  list: QuestionList,
  prompts: Prompts,
  progress: Progress = FROM_THE_START,
): Promise<Unsigned<QuestionsAnswer> | Left> {
  const given: Given[] = [...progress.given];
  if (given.length > 0) prompts.show(`  ${given.length} of ${list.questions.length} answered before\n`);
  const answer = (outcome: QuestionsAnswer["outcome"]): Unsigned<QuestionsAnswer> => ({
    kind: "questions",
    answers: given,
    outcome,
  });
  for (;;) {
    while (given.length < list.questions.length) {
      const move = await askOne(list, given.length, prompts);
      if (move === LEFT) return LEFT;
      if (move === "abort") return answer("aborted");
      if (move === "back") given.pop();
      else if (move === "skip_all") {
        given.push(...list.questions.slice(given.length).map(skipped));
        return answer("skipped_remaining");
      } else {
        given.push(move);
        progress.answered(move);
      }
    }
    const again = await review(list, given, prompts);
    if (again === LEFT) return LEFT;
    if (again === "send") return answer("completed");
    if (again === "abort") return answer("aborted");
    const index = list.questions.findIndex(({ id }) => id === again);
    const move = await askOne({ ...list, allow_back: false, allow_skip_all: false }, index, prompts);
    if (move === LEFT) return LEFT;
    if (move === "abort") return answer("aborted");
    if (typeof move !== "object") continue;
    given[index] = move;
    progress.answered(move);
  }
}

const FROM_THE_START: Progress = { given: [], answered: () => {} };

const skipped = ({ id }: QuestionItem): Given => ({ id, answer: "", source: "skipped" });

/** Ways out of a question that are no answer to it. */
function waysOut(list: QuestionList, index: number): readonly Choice<Menu>[] {
  const item = list.questions[index];
  return [
    ...(list.allow_skip && !item?.required ? [{ value: "skip" as const, label: "Skip this question" }] : []),
    ...(list.allow_skip_all && !list.questions.slice(index).some(({ required }) => required)
      ? [{ value: "skip_all" as const, label: "Skip all that remain" }]
      : []),
    ...(list.allow_back && index > 0 ? [{ value: "back" as const, label: "Back to the question before" }] : []),
    ...(list.allow_abort ? [{ value: "abort" as const, label: "Abort" }] : []),
  ];
}

async function askOne(list: QuestionList, index: number, prompts: Prompts): Promise<Move> {
  const item = list.questions[index];
  if (!item) return LEFT;
  const title = `${list.questions.length > 1 ? `${index + 1} of ${list.questions.length}  ` : ""}${item.text}${item.hint ? `  (${item.hint})` : ""}`;
  const outs = waysOut(list, index);
  if (!item.choices?.length) return writeAnswer(item, title, outs, prompts);
  const chosen = await prompts.choose<string>(
    title,
    [
      ...item.choices.map((label) => {
        return { value: `choice:${label}`, label, hint: label === item.default ? "default" : undefined };
      }),
      ...(item.allow_free_text ? [{ value: "write", label: "Write something else" }] : []),
      ...(item.default !== undefined && !item.choices.includes(item.default)
        ? [{ value: "default", label: `Take the default: ${item.default}` }]
        : []),
      ...outs,
    ],
    item.default !== undefined && item.choices.includes(item.default) ? `choice:${item.default}` : undefined,
  );
  if (chosen === LEFT) return LEFT;
  if (chosen.startsWith("choice:")) return { id: item.id, answer: chosen.slice(7), source: "choice" };
  if (chosen === "write") return writeAnswer(item, title, [], prompts);
  return moveOf(item, chosen as Menu);
}

function moveOf(item: QuestionItem, chosen: Menu): Move {
  if (chosen === "skip") return skipped(item);
  if (chosen === "default" || chosen === "write") return { id: item.id, answer: item.default ?? "", source: "default" };
  return chosen;
}

/** Free text. Ways out are words behind a colon, since a text field has no menu. */
async function writeAnswer(
  item: QuestionItem,
  title: string,
  outs: readonly Choice<Menu>[],
  prompts: Prompts,
): Promise<Move> {
  const commands = outs.map(({ value }) => `:${value.replace("_", " ")}`);
  const written = await prompts.write(commands.length > 0 ? `${title}  [or ${commands.join(", ")}]` : title, {
    multiline: item.multiline,
    placeholder: item.default,
    refuse: (text) =>
      item.required && text.trim() === "" && item.default === undefined ? "This question needs an answer." : undefined,
  });
  if (written === LEFT) return LEFT;
  const out = outs.find((_, index) => commands[index] === written.trim());
  if (out) return moveOf(item, out.value);
  if (written.trim() === "") return item.default === undefined ? skipped(item) : moveOf(item, "default");
  return { id: item.id, answer: written, source: "free_text" };
}

/** All answers at once; gives `send`, `abort`, or the id of the question to answer anew. One question needs no review. */
async function review(list: QuestionList, given: readonly Given[], prompts: Prompts): Promise<string | Left> {
  if (list.questions.length === 1) return "send";
  return prompts.choose<string>("Are these answers right?", [
    { value: "send", label: "Yes, send them" },
    ...list.questions.map(({ id, text }, index) => {
      const { source, answer = "" } = given[index] ?? {};
      return { value: id, label: `Change: ${text}`, hint: source === "skipped" ? "skipped" : answer };
    }),
    ...(list.allow_abort ? [{ value: "abort", label: "Abort" }] : []),
  ]);
}
