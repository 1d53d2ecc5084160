// Tokens that are recognized by how they look, for any issuer. Each pattern has a trigger, a short text that every
// such token contains, so that ordinary text is passed over with one search.
import type { Spans } from "./see-through.ts";

/** A letter or digit before it means that the trigger is part of a word: `task-force` holds no `sk-` key. */
const START = "(?<![A-Za-z0-9])";

/** A long word, or one with a digit, capital or sign inside: "Bearer instruments" is a sentence. */
const BEARER =
  /\b((?:[Bb]earer|BEARER)\s{1,20})(?=\S{0,200}?(?:[0-9]|[._~+/-]\w|[a-z][A-Z])|\S{20})[A-Za-z0-9._~+/=-]{8,32}/g;

const TOKENS = new RegExp(
  START +
    `(?:${[
      // `sk-` begins ordinary names too (sk-learn-…): a digit, or one long run without a hyphen, tells a key.
      "sk-(?:[A-Za-z0-9_]{20}|(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{16})",
      "gh[pousr]_[A-Za-z0-9]{16}",
      "github_pat_[A-Za-z0-9_]{16}",
      "glpat-[A-Za-z0-9_-]{16}",
      "xox[a-z]-[A-Za-z0-9-]{8}",
      "(?:AKIA|ASIA)[A-Z0-9]{12}",
      "AIza[A-Za-z0-9_-]{30}",
      "(?<![_-])eyJ[A-Za-z0-9_-]{6,16000}\\.[A-Za-z0-9_-]{6,16000}\\.",
    ].join("|")})`,
  "g",
);

/** No token is shorter than this with its trigger. */
export const SHORTEST_TOKEN = 13;

/** Every token contains one of these. */
export const TRIGGERS =
  "[Bb][Ee][Aa][Rr][Ee][Rr]\\s|sk-|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|A[KS]IA|AIza|eyJ|-----BEGIN ";

const IN_WORD = /[A-Za-z0-9_-]/;
const IN_JWT = /[A-Za-z0-9._-]/;
const IN_TOKEN = /[A-Za-z0-9._~+/=-]/;

/** Patterns know only how a token begins: an unbounded repeat over ten million letters exhausts the stack. */
function endOf(text: string, from: number, part: RegExp): number {
  let end = from;
  while (end < text.length && part.test(text.charAt(end))) end++;
  return end;
}

export function findTokens(text: string, spans: Pick<Spans, "add">): void {
  for (let hit = next(TOKENS, text, 0); hit; ) {
    const end = endOf(text, TOKENS.lastIndex, hit[0].startsWith("eyJ") ? IN_JWT : IN_WORD);
    spans.add(hit.index, end);
    hit = next(TOKENS, text, end);
  }
  for (let hit = next(BEARER, text, 0); hit; ) {
    const end = endOf(text, BEARER.lastIndex, IN_TOKEN);
    spans.add(hit.index + (hit[1]?.length ?? 0), end);
    hit = next(BEARER, text, end);
  }
  findBlocks(text, spans);
}

const WORDS = "sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox AKIA ASIA AIza eyJ".split(" ");
const BEGUN_WORD = new RegExp(`${START}(?:${WORDS.flatMap(beginnings).join("|")})$`);
const BEGUN_BEARER = new RegExp(`\\b(?:${beginnings("bearer").join("|")})$`, "i");
const OPEN_TOKEN = new RegExp(
  `${START}(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|A[KS]IA|AIza|eyJ)[A-Za-z0-9._-]*$`,
);
const OPEN_BEARER = /\bBearer\s+[A-Za-z0-9._~+/=-]*$/i;
/** How far back an unfinished token is looked for. */
const WINDOW = 8 * 1024;

function beginnings(word: string): string[] {
  return Array.from(word, (_, index) => word.slice(0, index + 1)).reverse();
}

/** Where a token may have begun at the end of the text; the text's length if none has. */
export function openTokenFrom(text: string): number {
  const offset = Math.max(0, text.length - WINDOW);
  const tail = offset === 0 ? text : text.slice(offset);
  let open = openBlockFrom(text);
  for (const begun of [OPEN_TOKEN, OPEN_BEARER, BEGUN_WORD, BEGUN_BEARER]) {
    const at = tail.search(begun);
    if (at !== -1 && at + offset < open) open = at + offset;
  }
  return open;
}

// PEM blocks: keys and certificates between two lines of dashes. Found by hand and not by one expression, so that a text
// of nothing but beginnings is not searched for an end from each of them.

const BEGIN = /-----BEGIN [A-Z0-9 ]{1,60}-----/g;
const END = /-----END [A-Z0-9 ]{1,60}-----/g;
const PRIVATE = /-----BEGIN [A-Z0-9 ]{0,50}PRIVATE KEY-----/g;
const BEGUN = /-----BEGIN [A-Z0-9 ]{0,60}-{0,4}$|-----(?:B|BE|BEG|BEGI|BEGIN)$|-{1,5}$/;

/** The next hit from a place on, of an expression with the flag `g`. */
const next = (search: RegExp, text: string, from: number): RegExpExecArray | null => {
  search.lastIndex = from;
  return search.exec(text);
};

function findBlocks(text: string, spans: Pick<Spans, "add">): void {
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
function openBlockFrom(text: string): number {
  let closed = 0;
  while (next(END, text, closed)) closed = END.lastIndex;
  const open = next(BEGIN, text, closed);
  if (open) return open.index;
  const tail = Math.max(0, text.length - 80);
  const begun = text.slice(tail).search(BEGUN);
  return begun === -1 ? text.length : tail + begun;
}
