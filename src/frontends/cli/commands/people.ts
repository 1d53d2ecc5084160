// `segno gate`: questions that wait for an answer, and answers to them. `segno dlq`: dead letters as a table, one of them whole,
// and what can be done with them.

import { answerRulesText, COMMAND_LINE, type Reader } from "../../../base/results/index.ts";
import type { LetterView, RetryAnswer, ShownLetter } from "../../../services/dead-letters/letters.ts";
import type { GatesAnswer } from "../../../services/gates/gates.ts";
import { renderMarkdown } from "../ask/markdown.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import { readFields } from "../inputs.ts";
import { type Colors, WHOLE_LINES } from "../output.ts";
import { detailLines } from "../report/error-block.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { ago, amount, GLYPHS, type Glyph, itemName, paint } from "../text/phrases.ts";
import { cut, optionLine, questionLine, table } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function printGates({ asked, output }: Call): Promise<number> {
  const { listGates } = await import("../../../services/gates/gates.ts");
  const answer = await listGates(asked.session);
  const width = Math.min(output.stdout.columns ?? 100, 100);
  return answerWith(answer, output, ({ gates }) => {
    if (gates.length === 0) return "No question waits for an answer.\n";
    return `${gates.map((gate) => gateBlock(gate, output.outColors, width, asked).join("\n")).join("\n\n")}\n`;
  });
}

function gateBlock(
  gate: GatesAnswer["gates"][number],
  colors: Colors,
  width: number,
  { now }: Pick<Asked, "now">,
): readonly string[] {
  const { bold, cyan, dim } = colors;
  const rules = answerRulesText(gate, now);
  const where = `run ${gate.run_id}${gate.cell === undefined ? "" : ` · cell ${plainLineOf(gate.cell)}`}`;
  return [
    `${cyan("?")} ${bold(plainLineOf(gate.name))}  ${dim(`${plainLineOf(gate.workflow ?? "")} · ${where} · asked ${ago(gate.presented_at, now)}`)}`,
    ...Object.entries(gate.inputs).map(([name, value]) => dim(`    ${plainLineOf(`${name}: ${value}`)}`)),
    ...renderMarkdown(gate.prompt, colors, width - 4)
      .split("\n")
      .map((line) => `    ${line}`),
    ...gate.options.map((option) => `    ${optionLine(option, colors)}`),
    ...(gate.questions ?? []).map((question) => `    ${questionLine(question, colors)}`),
    ...(rules === undefined ? [] : [dim(`    ${plainLineOf(rules)}`)]),
    dim(`    ${gate.answer}`),
  ];
}

export function giveAnswer(call: Call): Promise<number> {
  const { asked } = call;
  const inputs = readFields(asked.list("input"));
  const [run, value] = [asked.required(0), asked.required(1)];
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const { answerGate } = await import("../../../services/gates/gates.ts");
    const answer = { run, value, inputs, gate: asked.text("gate"), as: asked.text("as") };
    const result = await answerGate(asked.session, answer, driving);
    if (result.status !== "running") return result;
    say("Answered. The process that drives the run goes on with it.");
    return result;
  });
}

export async function dlqList({ asked, output }: Call): Promise<number> {
  const { listLetters } = await import("../../../services/dead-letters/letters.ts");
  const { reader, now } = asked;
  const filters = filtersOf(asked);
  const answer = await listLetters(asked.session, { ...filters, all: asked.flag("all") });
  const retryAll = reader.ask({ to: "retry all", filters }) ?? "";
  return answerWith(answer, output, ({ letters }) =>
    lettersTable(letters, output.outColors, output.width, now, retryAll, reader),
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
  const { showLetter } = await import("../../../services/dead-letters/letters.ts");
  const answer = await showLetter(asked.session, { id: asked.required(0) });
  const { outColors, width } = output;
  return answerWith(answer, output, ({ letters }) =>
    letters
      .map((letter) => `${letterLines(letter, outColors, width, asked.now, asked.reader).join("\n")}\n`)
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
  const often = letter.count > 1 ? `, ${letter.count} times since ${ago(letter.first_seen, now)}` : "";
  const workflow = plainLineOf(letter.workflow);
  return [
    `${red("✗")} ${bold(plain(letter.kind))}`,
    `  ${plain(letter.message).replaceAll("\n", "\n  ")}`,
    "",
    fact("letter", `${letter.id}, ${letter.status}`),
    fact("step", `${placeOf(letter)} (${letter.type}), tried ${letter.attempts}×`),
    ...(isOfRun(letter)
      ? [
          fact("workflow", `${workflow}, ${plainLineOf(letter.file)}${FILE_WORDS[letter.workflow_file]}`),
          fact("run", letter.run_id),
        ]
      : [fact("queue", `${workflow}, of a program`)]),
    fact("seen", `${ago(letter.last_seen, now)}${often}`),
    ...(letter.acts ?? []).map(({ what, by, at }) => fact(what, `by ${plainLineOf(by)}, ${ago(at, now)}`)),
    ...otherAttempts(letter).map(([word, { attempt, kind, message }]) =>
      fact(word, plainLineOf(`attempt ${attempt}: ${kind}: ${message}`)),
    ),
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

/** All but the one that the letter opens with. After it come attempts that an open breaker refused. */
function otherAttempts({ envelope, history }: ShownLetter): readonly (readonly [string, Attempt])[] {
  const shown = history.findLastIndex(({ kind, message }) => kind === envelope.kind && message === envelope.message);
  const under = (word: string, some: readonly Attempt[]) =>
    some.map((attempt, index) => [index === 0 ? word : "", attempt] as const);
  return [...under("before", history.slice(0, Math.max(0, shown))), ...under("later", history.slice(shown + 1))];
}

type Attempt = ShownLetter["history"][number];

export function dlqRetry(call: Call): Promise<number> {
  const { asked, output } = call;
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const { retryLetters } = await import("../../../services/dead-letters/letters.ts");
    const limits = { maxIterations: asked.number("max-iterations"), maxVisits: asked.number("max-visits") };
    const request = { ids: asked.arguments, ...filtersOf(asked), ...limits };
    const answer = await retryLetters(asked.session, request, driving);
    if (!("status" in answer)) {
      answerWith(answer, output, () => "No open letter matches.\n");
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
  const { dropLetters } = await import("../../../services/dead-letters/letters.ts");
  const answer = await dropLetters(asked.session, { ids: asked.arguments, ...filtersOf(asked) });
  return answerWith(answer, output, ({ letters }) => `${amount(letters.length, "letter")} dropped.\n`);
}
