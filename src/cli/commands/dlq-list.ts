// `segno dlq list`: dead letters as a table, and what can be done with them.
import { COMMAND_LINE } from "../../results/command-line.ts";
import type { Reader } from "../../results/reader.ts";
import { type LetterView, listLetters } from "../../services/letters/letters.ts";
import { answerWith } from "../answer-with.ts";
import type { Asked } from "../asked.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { columns, WHOLE_LINES } from "../text/columns.ts";
import { GLYPHS, type Glyph, paint } from "../text/glyphs.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount, itemName } from "../text/phrases.ts";
import { ago } from "../text/time.ts";

export default async function dlqList({ asked, output }: Call): Promise<number> {
  const answer = await listLetters({ ...asked.surroundings, ...filtersOf(asked), all: asked.flag("all") });
  return answerWith(answer, output, ({ letters }) =>
    lettersTable(
      ...([letters, output.outColors, output.stdout.columns ?? WHOLE_LINES, asked.now] as const),
      asked.reader.ask({ to: "retry all", filters: filtersOf(asked) }) ?? "",
      asked.reader,
    ),
  );
}

/** The filters that all `dlq` commands take. */
export function filtersOf(asked: Asked): { kind?: string; workflow?: string; run?: string; since?: string } {
  const given = ["kind", "workflow", "run", "since"].map((name) => [name, asked.text(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const SIGNS: Readonly<Record<LetterView["status"], Glyph>> = {
  open: GLYPHS.failed,
  retrying: GLYPHS.retry,
  resolved: GLYPHS.done,
  dropped: GLYPHS.cancelled,
};

export const placeOf = (letter: LetterView): string => plainLineOf([...letter.path, itemName(letter)].join("/"));

/** Others are kept by a program in a queue of its own, and only that can retry them. */
export const isOfRun = ({ run_id }: LetterView): boolean => run_id !== "";

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
  const head = ["", "LETTER", "STATUS", "KIND", "STEP", "ITEM", "WORKFLOW", "TRIED", "LAST SEEN"].map((word) =>
    colors.dim(word),
  );
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
  return `${columns([head, ...rows], width)}\n${next}`;
}
