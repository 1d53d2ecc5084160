// `segno dlq`: dead letters as a table, one of them whole, and what can be done with them.
import { COMMAND_LINE, type Reader } from "../../results/reader.ts";
import {
  dropLetters,
  type LetterView,
  listLetters,
  type RetryAnswer,
  retryLetters,
  type ShownLetter,
  showLetter,
} from "../../services/letters/letters.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import type { Colors } from "../output.ts";
import { detailLines } from "../report/error-block.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { ago, amount, GLYPHS, type Glyph, itemName, paint } from "../text/phrases.ts";
import { cut, table, WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function dlqList({ asked, output }: Call): Promise<number> {
  const answer = await listLetters(asked.session, { ...filtersOf(asked), all: asked.flag("all") });
  return answerWith(answer, output, ({ letters }) =>
    lettersTable(
      ...([letters, output.outColors, output.stdout.columns ?? WHOLE_LINES, asked.now] as const),
      asked.reader.ask({ to: "retry all", filters: filtersOf(asked) }) ?? "",
      asked.reader,
    ),
  );
}

/** The filters that all `dlq` commands take. */
function filtersOf(asked: Asked): { kind?: string; workflow?: string; run?: string; since?: string } {
  const given = ["kind", "workflow", "run", "since"].map((name) => [name, asked.text(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const SIGNS: Readonly<Record<LetterView["status"], Glyph>> = {
  open: GLYPHS.failed,
  retrying: GLYPHS.retry,
  resolved: GLYPHS.done,
  dropped: GLYPHS.cancelled,
};

const placeOf = (letter: LetterView): string => plainLineOf([...letter.path, itemName(letter)].join("/"));

/** Others are kept by a program in a queue of its own, and only that can retry them. */
const isOfRun = ({ run_id }: LetterView): boolean => run_id !== "";

/** At a terminal a short look at the item; `dlq show` has the whole of it. */
function itemOf({ item }: LetterView, width: number): string {
  if (item === undefined) return "";
  const text = typeof item === "string" ? item : JSON.stringify(item);
  return text.length > LONGEST_ITEM && width < WHOLE_LINES ? `${text.slice(0, LONGEST_ITEM - 1)}…` : text;
}

const LONGEST_ITEM = 30;

export function lettersTable(
  letters: readonly LetterView[],
  colors: Colors,
  width: number,
  now: number,
  /** The command that tries all of them again. */
  all: string,
  reader: Reader = COMMAND_LINE,
): string {
  if (letters.length === 0) return "No dead letters.\n";
  const titles = ["", "LETTER", "STATUS", "KIND", "STEP", "ITEM", "WORKFLOW", "TRIED", "LAST SEEN"];
  const rows = letters.map((letter) => {
    const { sign, tone } = SIGNS[letter.status];
    return [
      paint(tone, sign, colors),
      letter.id,
      paint(tone, letter.status, colors),
      plain(letter.kind),
      placeOf(letter),
      plain(itemOf(letter, width)),
      plain(letter.workflow),
      `${letter.attempts}×`,
      ago(letter.last_seen, now),
    ];
  });
  const open = letters.filter((letter) => letter.status === "open" && isOfRun(letter));
  const next =
    open.length === 0
      ? ""
      : `\n${amount(open.length, "letter")} open. To try ${open.length === 1 ? `it again: ${reader.ask({ to: "retry", letter: open[0]!.id })}` : `them again: ${all}`}\n`;
  return `${table(titles, rows, colors, width)}\n${next}`;
}

export async function dlqShow({ asked, output }: Call): Promise<number> {
  const answer = await showLetter(asked.session, { id: asked.required(0) });
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
    ...otherAttempts(letter).map(([word, attempt]) => fact(word, saidBy(attempt))),
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

/** All but the one that the letter opens with: a letter keeps its first error, so those of retries come after it. */
function otherAttempts({ envelope, history }: ShownLetter): readonly (readonly [string, Attempt])[] {
  const shown = history.findIndex(({ attempt }) => attempt === envelope.attempts);
  const under = (word: string, some: readonly Attempt[]) =>
    some.map((attempt, index) => [index === 0 ? word : "", attempt] as const);
  return [...under("before", history.slice(0, Math.max(0, shown))), ...under("later", history.slice(shown + 1))];
}

type Attempt = ShownLetter["history"][number];

function saidBy({ attempt: number, kind, message }: Attempt): string {
  return plainLineOf(`attempt ${number}: ${kind}: ${message}`);
}

export function dlqRetry(call: Call): Promise<number> {
  const { asked, output } = call;
  const maxIterations = asked.number("max-iterations");
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const request = { ids: asked.arguments, ...filtersOf(asked), maxIterations };
    const answer = await retryLetters(asked.session, request, driving);
    if (!("status" in answer)) {
      answerWith(answer, output, () => "No open letter is like that.\n");
      return undefined;
    }
    if (output.format === "text" && answer.letters.length > 0) say(output.colors.dim(tally(answer)));
    return answer;
  });
}

function tally({ letters, results }: RetryAnswer): string {
  const resolved = letters.filter(({ status }) => status === "resolved").length;
  const runs = results ? ` in ${amount(results.length, "run")}` : "";
  return `${resolved} of ${amount(letters.length, "letter")} resolved${runs}`;
}

export async function dlqDrop({ asked, output }: Call): Promise<number> {
  const answer = await dropLetters(asked.session, { ids: asked.arguments, ...filtersOf(asked) });
  return answerWith(answer, output, ({ letters }) => `${amount(letters.length, "letter")} dropped.\n`);
}
