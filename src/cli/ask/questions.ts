// A list of questions at the terminal, one after the other: choices or free text, back, skip, abort, and a look at all
// answers before they are sent.
import type {
  GivenAnswer as Given,
  Progress,
  QuestionItem,
  QuestionList,
  QuestionsAnswer,
  Unsigned,
} from "../../engine/people/ask.ts";
import { type Choice, LEFT, type Left, type Prompts } from "./prompts.ts";

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
      ...item.choices.map((choice) => ({
        value: `choice:${choice}`,
        label: choice,
        ...(choice === item.default ? { hint: "default" } : {}),
      })),
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
    ...(item.default === undefined ? {} : { placeholder: item.default }),
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
      const answer = given[index];
      return {
        value: id,
        label: `Change: ${text}`,
        hint: answer?.source === "skipped" ? "skipped" : (answer?.answer ?? ""),
      };
    }),
    ...(list.allow_abort ? [{ value: "abort", label: "Abort" }] : []),
  ]);
}
