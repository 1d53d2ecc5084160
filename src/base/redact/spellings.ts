// The ways to write a secret. Its forms are plain texts to look for, so that finding them stays one pass; every other way to
// escape or quote one is found in the text as its reader decodes it, so that no list of ways has to be complete.
import { hasUnseen, type SeenThrough, seeThrough } from "./see-through.ts";

/** What a text has that decoding changes, beyond what JSON writes in every other line (`\"`, `\n`). */
const ESCAPED = /\\[^nrt"]|&(?:amp;)*#?\w{2,8};|%[0-9a-fA-F]{2}|'"'|\$'/;

/** Each way needs one of four characters, and most texts have none: to look for these takes a fifth of the time. */
export const isEscaped = (text: string): boolean =>
  (text.includes("\\") || text.includes("%") || text.includes("&") || text.includes("'")) && ESCAPED.test(text);

/** What YAML, SQL and CSV do to a quote inside of quotes, and what wrapping does to a space. */
const SPREAD = /''|""|``|\s\s|[\t\r\n]/;

/** The same of a secret that has quotes or white space in it: decoding leaves these out, or makes them one space. */
export const isSpread = (text: string): boolean => SPREAD.test(text);

export const hasSpreadable = (secret: string): boolean => /['"`\s]/.test(secret);

/** Characters, each behind its name in HTML. Quotes and backslashes are left out however they are written. */
const NAMES_OF_CHARACTERS =
  "amp & AMP & lt < LT < gt > GT > sol / plus + equals = num # percnt % colon : semi ; comma , period . dollar $ excl ! " +
  "quest ? ast * lpar ( rpar ) commat @ lowbar _ Hat ^ hat ^ lsqb [ rsqb ] lcub { rcub } verbar | vert | hyphen - dash - tilde ~";
const NAMED: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...NAMES_OF_CHARACTERS.matchAll(/(\S+) (\S+)/g)].map(([, name, sign]) => [name, sign])),
  nbsp: " ",
  bsol: "",
  quot: "",
  QUOT: "",
  apos: "",
  grave: "",
};

/**
 * First what is left out in any case, as many at once as there are: a program may print millions of zero bytes, which JSON
 * writes so. What begins or ends a sequence is not among it.
 *
 * Encoded twice, a backslash, an ampersand or a percent sign is itself written so; however often, it is one escape.
 */
const PARTS =
  /(?:\\+u00(?:0[0-68]|0[eEfF]|1[0-9aA])){2,1000}|\\+u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})|((?:\\+(?:x[89a-fA-F][0-9a-fA-F]|[23][0-7]{2})){2,4})|\\+x([0-9a-fA-F]{2})|\\+([0-3][0-7]{2})|\\+[nrt]|&(?:amp;)*#(?:([0-9]{1,7})|[xX]([0-9a-fA-F]{1,6}));|&(?:amp;)*([A-Za-z]{2,6});|((?:%(?:25)*[89a-fA-F][0-9a-fA-F]){1,4})|%(?:25)*([0-7][0-9a-fA-F])|\$(?=')|['"`]+|\\+|\s+/g;

/** What may be the beginning of an escape, at the end of a piece of a stream. */
const OPEN_ESCAPE =
  /(?:['"`$]+|\\+(?:u\{?[0-9a-fA-F]{0,5})?|(?:\\+(?:x[0-9a-fA-F]{0,2}|[0-3][0-7]{0,2})){1,4}\\*|&(?:amp;)*#?\w{0,8}|(?:%(?:25)*[0-9a-fA-F]{0,2}){1,4})$/;

/** The same with where each character stands in the original. */
export interface Decoded extends SeenThrough {
  /** Where the character at a place ends in the original: an escape is longer than what it stands for. */
  endOf(index: number): number;
}

const characterOf = (code: number): string => (code > 0x10ffff ? "" : plainly(String.fromCodePoint(code)));

/** Quotes are left out however they are written, and all white space is one space. */
const plainly = (text: string): string => (/^['"`\\]$/.test(text) ? "" : /^\s$/.test(text) ? " " : text);

/** `\\xc3\\xb6`, `\\303\\266`: bytes of UTF-8, or characters of one byte each. */
function textOfBytes(escapes: string): string {
  const units = [...escapes.matchAll(/\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))/g)];
  const bytes = Buffer.from(
    units.map(([, hex, octal]) => (hex ? Number.parseInt(hex, 16) : Number.parseInt(octal!, 8))),
  );
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}

function meaningOf(hit: RegExpMatchArray): string | undefined {
  const [part, unit, point, bytes, byte, octal, decimal, hex, name, encoded, percent] = hit;
  const code = unit ?? point ?? byte ?? hex ?? percent;
  if (code !== undefined) return characterOf(Number.parseInt(code, 16));
  if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
  if (bytes !== undefined) return textOfBytes(bytes);
  if (decimal !== undefined) return characterOf(Number(decimal));
  if (name !== undefined) return NAMED[name];
  if (encoded !== undefined) {
    const text = Buffer.from(encoded.replaceAll("%25", "%").replaceAll(/%(?:25)*/g, ""), "hex").toString("utf8");
    return text.includes("\ufffd") ? undefined : text;
  }
  return /^\s|\\[nrt]$/.test(part) ? " " : "";
}

export function decode(text: string): Decoded {
  const kept: string[] = [];
  /** Pieces of the decoded text: where each begins there, where in the original, and where it ends if it is one escape. */
  const outs: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let out = 0;
  const keep = (piece: string, start: number, end: number): void => {
    if (piece === "") return;
    kept.push(piece);
    outs.push(out);
    starts.push(start);
    ends.push(end);
    out += piece.length;
  };
  let from = 0;
  for (const hit of text.matchAll(PARTS)) {
    const meaning = meaningOf(hit);
    if (meaning === undefined || meaning === hit[0]) continue;
    const end = hit.index + hit[0].length;
    keep(text.slice(from, hit.index), from, -1);
    keep(meaning, hit.index, end);
    from = end;
  }
  keep(text.slice(from), from, -1);
  const pieceAt = (index: number): number => {
    let low = 0;
    let high = outs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (outs[middle]! <= index) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };
  const at = (index: number): number => {
    const piece = pieceAt(index);
    return ends[piece] === -1 ? starts[piece]! + index - outs[piece]! : (starts[piece] ?? index);
  };
  const endOf = (index: number): number => {
    const piece = pieceAt(index);
    return ends[piece] === -1 ? at(index) + 1 : (ends[piece] ?? index);
  };
  return withoutUnseen({ text: kept.join(""), at, endOf });
}

/** An escape may stand for what a terminal does not show. */
function withoutUnseen(view: Decoded): Decoded {
  if (!hasUnseen(view.text)) return view;
  const seen = seeThrough(view.text);
  return { text: seen.text, at: (index) => view.at(seen.at(index)), endOf: (index) => view.endOf(seen.at(index)) };
}

/** Where the beginning of an escape stands at the end of a piece; the text's length if there is none. */
export function openEscapeFrom(text: string): number {
  const at = text.slice(-64).search(OPEN_ESCAPE);
  return at === -1 ? text.length : text.length - Math.min(64, text.length) + at;
}

/** Takes spans of the decoded text for those of the original. */
export const ofDecoded = (
  { at, endOf }: Decoded,
  spans: { add(start: number, end: number): void },
): { add(start: number, end: number): void } => ({
  add: (start, end) => (end > start ? spans.add(at(start), endOf(end - 1)) : undefined),
});

/** A text to look for. The first and last character of a base64 form may hold a few bits of the secret and go with it. */
export interface Form {
  readonly text: string;
  readonly before: boolean;
  readonly after: boolean;
  readonly isBase64: boolean;
}

const plain = (text: string): Form => ({ text, before: false, after: false, isBase64: false });

/** What JavaScript leaves alone and other languages' encoders do not. */
const strictly = (text: string): string =>
  text.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function urlForms(secret: string): string[] {
  let component: string;
  try {
    component = encodeURIComponent(secret);
  } catch {
    return []; // a lone surrogate has no URL form
  }
  const upper = [component, strictly(component), strictly(component).replaceAll("%2F", "/"), encodeURI(secret)];
  const all = [...upper, ...upper.map((text) => text.replaceAll("%20", "+"))];
  return [...all, ...all.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** What is the same in base64 whatever stands around the secret, for the three ways it can lie across groups. */
function base64Forms(secret: string): Form[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const total = shift + bytes.length;
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const first = Math.ceil((shift * 8) / 6);
    const core = whole.slice(first, Math.floor((total * 8) / 6));
    const edges = { before: shift > 0, after: total % 3 !== 0, isBase64: true };
    const urlSafe = core.replaceAll("+", "-").replaceAll("/", "_");
    return [core, urlSafe, encodeURIComponent(core)].map((text) => ({ text, ...edges }));
  });
}

export function formsOf(secret: string): Form[] {
  const once = JSON.stringify(secret).slice(1, -1);
  const written = [secret, secret.trim(), once];
  // Texts that are shown on one line lose tabs, line breaks and double spaces.
  const texts = [...written, ...written.map((text) => text.replace(/\s+/g, " ").trim()), ...urlForms(secret)];
  const forms = new Map<string, Form>();
  for (const form of [...texts.map(plain), ...base64Forms(secret)])
    if (!forms.has(form.text)) forms.set(form.text, form);
  return [...forms.values()];
}
