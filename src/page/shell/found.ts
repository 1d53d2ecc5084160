// What the palette can find: views add what they know while they are shown.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Findable {
  readonly text: string;
  /** Step, kind, run, action … */
  readonly what: string;
  readonly run: () => void;
}

const sources = signal<readonly (() => readonly Findable[])[]>([]);

/** What can be found while the component is there; asked when the palette opens. */
export function useFindable(source: () => readonly Findable[], given: readonly unknown[]): void {
  useEffect(() => {
    sources.value = [...sources.peek(), source];
    return () => {
      sources.value = sources.peek().filter((other) => other !== source);
    };
  }, given);
}

export const allFindable = (): readonly Findable[] =>
  sources
    .peek()
    .toReversed()
    .flatMap((source) => source());

/** What is found twice, by the view and everywhere, is one thing. */
export const withoutTwins = (all: readonly Findable[]): readonly Findable[] =>
  [...new Map(all.toReversed().map((one) => [`${one.what}|${one.text}`, one])).values()].toReversed();

/** Those whose letters contain the words' letters in order, the closest first. */
export function matching(all: readonly Findable[], typed: string, most = 40): readonly Findable[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all.slice(0, most);
  const scored = all.flatMap((one) => {
    const scores = words.map((word) => scoreOf(`${one.text} ${one.what}`.toLowerCase(), word));
    return scores.includes(null) ? [] : [{ one, score: scores.reduce((sum: number, score) => sum + (score ?? 0), 0) }];
  });
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ one }) => one);
}

/** Small is close; null: it is not there. */
function scoreOf(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at !== -1) return at === 0 || /\W|_/.test(text[at - 1] ?? "") ? at / 100 : 1 + at / 100;
  let [from, gaps] = [0, 0];
  for (const letter of word) {
    const found = text.indexOf(letter, from);
    if (found === -1) return null;
    gaps += found - from;
    from = found + 1;
  }
  return 10 + gaps;
}
