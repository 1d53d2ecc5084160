// What differs between two texts, line by line, and the same as a patch.
interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

export interface Hunk {
  /** 1-based line in the old and in the new text. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly DiffLine[];
}

const AROUND = 3;
/** Beyond this many pairs of lines the middle is shown as replaced, which is true as well. */
const MOST_PAIRS = 4_000_000;

/** @example lineDiff("a\nb", "a\nc") // one hunk: " a", "-b", "+c" */
export function lineDiff(before: string, after: string): readonly Hunk[] {
  return hunks(compare(before.split("\n"), after.split("\n")));
}

/** A patch that `git apply` takes, in the folder that `path` is relative to. Empty if nothing differs. */
export function patchText(path: string, before: string, after: string): string {
  const changed = hunks(compare(linesOf(before), linesOf(after)));
  if (changed.length === 0) return "";
  const isWhole = { before: before.endsWith("\n"), after: after.endsWith("\n") };
  const [last, lastAfter] = [linesOf(before).length, linesOf(after).length];
  const body = changed.flatMap(({ from, to, lines }) => {
    const [old, fresh] = [lines.filter(({ sign }) => sign !== "+"), lines.filter(({ sign }) => sign !== "-")];
    let [at, atAfter] = [from, to];
    const signed = lines.flatMap(({ sign, text }) => {
      const endsBefore = sign !== "+" && at++ === last && !isWhole.before;
      const endsAfter = sign !== "-" && atAfter++ === lastAfter && !isWhole.after;
      return [`${sign}${text}`, ...(endsBefore || endsAfter ? ["\\ No newline at end of file"] : [])];
    });
    return [`@@ -${rangeOf(from, old.length)} +${rangeOf(to, fresh.length)} @@`, ...signed];
  });
  return `${[`--- a/${path}`, `+++ b/${path}`, ...body].join("\n")}\n`;
}

const rangeOf = (from: number, count: number): string => `${count === 0 ? from - 1 : from},${count}`;

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

const same = (text: string): DiffLine => ({ sign: " ", text });
const gone = (text: string): DiffLine => ({ sign: "-", text });
const come = (text: string): DiffLine => ({ sign: "+", text });

/** The longest common lines stay; the rest goes and comes. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length * after.length > MOST_PAIRS) return [...before.map(gone), ...after.map(come)];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(same(before[i] ?? ""));
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
      lines.push(gone(before[i++] ?? ""));
    else lines.push(come(after[j++] ?? ""));
  }
  return lines;
}

function hunks(lines: readonly DiffLine[]): readonly Hunk[] {
  const isNear = lines.map(() => false);
  for (const [index, { sign }] of lines.entries())
    if (sign !== " ") isNear.fill(true, Math.max(0, index - AROUND), Math.min(lines.length, index + AROUND + 1));
  const found: { from: number; to: number; lines: DiffLine[] }[] = [];
  let [from, to, isOpen] = [1, 1, false];
  for (const [index, line] of lines.entries()) {
    if (isNear[index] && !isOpen) found.push({ from, to, lines: [] });
    isOpen = isNear[index] === true;
    if (isOpen) found.at(-1)?.lines.push(line);
    if (line.sign !== "+") from++;
    if (line.sign !== "-") to++;
  }
  return found;
}
