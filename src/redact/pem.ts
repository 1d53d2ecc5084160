// PEM blocks: keys and certificates between two lines of dashes. Found by hand and not by one expression, so that a text
// of nothing but beginnings is not searched for an end from each of them.
import type { Spans } from "./spans.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{1,60}-----/g;
const END = /-----END [A-Z0-9 ]{1,60}-----/g;
const PRIVATE = /-----BEGIN [A-Z0-9 ]{0,50}PRIVATE KEY-----/g;
const BEGUN = /-----BEGIN [A-Z0-9 ]{0,60}-{0,4}$|-----(?:B|BE|BEG|BEGI|BEGIN)$|-{1,5}$/;

/** The next hit from a place on, of an expression with the flag `g`. */
export const next = (search: RegExp, text: string, from: number): RegExpExecArray | null => {
  search.lastIndex = from;
  return search.exec(text);
};

export function findBlocks(text: string, spans: Pick<Spans, "add">): void {
  for (let begin = next(BEGIN, text, 0); begin; begin = next(BEGIN, text, END.lastIndex)) {
    if (next(END, text, BEGIN.lastIndex)) {
      spans.add(begin.index, END.lastIndex);
      continue;
    }
    // A private key without its end was cut: what is there goes.
    const cut = next(PRIVATE, text, begin.index);
    if (cut) spans.add(cut.index, text.length);
    return;
  }
}

/** Where a block that has not ended began, or its first line may be beginning; the text's length otherwise. */
export function openBlockFrom(text: string): number {
  let closed = 0;
  while (next(END, text, closed)) closed = END.lastIndex;
  const open = next(BEGIN, text, closed);
  if (open) return open.index;
  const tail = Math.max(0, text.length - 80);
  const begun = text.slice(tail).search(BEGUN);
  return begun === -1 ? text.length : tail + begun;
}
