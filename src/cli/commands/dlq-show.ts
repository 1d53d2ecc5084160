// `segno dlq show`: one dead letter, whole.
import { COMMAND_LINE } from "../../results/command-line.ts";
import type { Reader } from "../../results/reader.ts";
import { type ShownLetter, showLetter } from "../../services/letters/letters.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { detailLines } from "../report/details.ts";
import { WHOLE_LINES } from "../text/columns.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { ago } from "../text/time.ts";
import { cut } from "../text/width.ts";
import { isOfRun, placeOf } from "./dlq-list.ts";

export default async function dlqShow({ asked, output }: Call): Promise<number> {
  const answer = await showLetter({ ...asked.surroundings, id: asked.required(0) });
  const width = output.stdout.columns ?? WHOLE_LINES;
  return answerWith(answer, output, ({ letters }) =>
    letters
      .map((letter) => `${letterLines(letter, output.outColors, width, asked.now, asked.reader).join("\n")}\n`)
      .join("\n"),
  );
}

const FILE_WORDS: Readonly<Record<ShownLetter["workflow_file"], string>> = {
  unchanged: "",
  changed: ", changed since",
  gone: ", gone; a retry takes the file as it was",
};

export function letterLines(
  letter: ShownLetter,
  colors: Colors,
  width: number,
  now: number,
  reader: Reader = COMMAND_LINE,
): readonly string[] {
  const { bold, dim, red } = colors;
  const fact = (word: string, text: string): string => cut(`  ${dim(word.padEnd(9))} ${text}`, width);
  const block = (word: string, value: unknown): readonly string[] =>
    value === undefined || value === null
      ? []
      : [`  ${dim(word)}`, ...detailLines(asMapping(value), width - 4).map((line) => `    ${line}`)];
  const seen =
    letter.count > 1
      ? `${ago(letter.last_seen, now)}, ${letter.count} times since ${ago(letter.first_seen, now)}`
      : ago(letter.last_seen, now);
  return [
    `${red("✗")} ${bold(plain(letter.kind))}`,
    `  ${plain(letter.message).replaceAll("\n", "\n  ")}`,
    "",
    fact("letter", `${letter.id}, ${letter.status}`),
    fact("step", `${placeOf(letter)} (${letter.type}), tried ${letter.attempts}×`),
    ...(isOfRun(letter)
      ? [
          fact(
            "workflow",
            `${plainLineOf(letter.workflow)}, ${plainLineOf(letter.file)}${FILE_WORDS[letter.workflow_file]}`,
          ),
          fact("run", letter.run_id),
        ]
      : [fact("queue", `${plainLineOf(letter.workflow)}, of a program`)]),
    fact("seen", seen),
    ...(letter.acts ?? []).map(({ what, by, at }) => fact(what, `by ${plainLineOf(by)}, ${ago(at, now)}`)),
    ...letter.history.slice(0, -1).map((attempt, index) => fact(index === 0 ? "before" : "", saidBy(attempt))),
    ...block("item", letter.item),
    ...block("inputs", letter.inputs),
    // Whole, however narrow the terminal is: it is there to be copied.
    ...(letter.status === "open" && isOfRun(letter)
      ? ["", `  ${dim("retry".padEnd(9))} ${bold(reader.ask({ to: "retry", letter: letter.id }) ?? "")}`]
      : []),
  ];
}

const asMapping = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : { value };

function saidBy(attempt: unknown): string {
  const { attempt: number, kind, message } = attempt as { attempt: number; kind: string; message: string };
  return plainLineOf(`attempt ${number}: ${kind}: ${message}`);
}
