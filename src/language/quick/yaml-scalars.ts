// Scalars: quoted, plain and block texts, the types that plain words have in YAML 1.2, and the cursor that reads them
// from line to line.
import type { ScalarTree, SourceFile, SourcePlace, Style } from "../tree.ts";

/** Ends the quick reading: what comes is left to the YAML library. */
export class Unsure extends Error {}

export function unsure(): never {
  throw new Unsure();
}

/** What may follow a value on its line: blanks, and a comment that blanks set off. */
const REST = / *(?: #[^\n]*)?(?=\n|$)/y;

export class Cursor {
  at = 0;
  /** The column of the content that `nextContent` found, from 0. */
  column = 0;
  isAtEnd = false;
  readonly text: string;
  readonly source: SourceFile;
  #lineStart = 0;

  constructor(source: SourceFile) {
    this.source = source;
    this.text = source.text;
  }

  get char(): string | undefined {
    return this.text[this.at];
  }

  /** Goes on from a line's start or end to the next line that holds more than blanks and comments. */
  nextContent(): boolean {
    const { text } = this;
    while (this.at < text.length) {
      if (text[this.at] === "\n") this.at++;
      this.#lineStart = this.at;
      while (text[this.at] === " ") this.at++;
      if (text[this.at] === "#") this.#toLineEnd();
      if (this.at < text.length && text[this.at] !== "\n") {
        this.column = this.at - this.#lineStart;
        return true;
      }
    }
    this.isAtEnd = true;
    this.column = -1;
    return false;
  }

  /** Skips what may follow a value. */
  endLine(): void {
    REST.lastIndex = this.at;
    const rest = REST.exec(this.text);
    if (!rest) unsure();
    this.at += rest[0].length;
  }

  /** Skips blanks; whether the line holds nothing more. */
  skipToValue(): boolean {
    while (this.char === " ") this.at++;
    if (this.char === "#" && this.text[this.at - 1] === " ") this.#toLineEnd();
    return this.at >= this.text.length || this.char === "\n";
  }

  /** The column of the place where the reader is now. */
  columnHere(): number {
    return this.at - this.#lineStart;
  }

  place(start: number, end: number): SourcePlace {
    return { source: this.source, start, end };
  }

  #toLineEnd(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end === -1 ? this.text.length : end;
  }
}

export function scalar(value: ScalarTree["value"], style: Style, place: SourcePlace): ScalarTree {
  return { kind: "scalar", value, style, place, content: place, size: 1, depth: 1 };
}

const WORDS: Readonly<Record<string, boolean | null>> = {
  "~": null,
  null: null,
  Null: null,
  NULL: null,
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
};
const NUMBER_START = /^[-+.0-9]/;
const INTEGER = /^[-+]?[0-9]+$/;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+)$/;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

export function plainValue(text: string): ScalarTree["value"] {
  if (Object.hasOwn(WORDS, text)) return WORDS[text] as boolean | null;
  if (!NUMBER_START.test(text)) return text;
  if (INTEGER.test(text)) return Number(text);
  if (DECIMAL.test(text)) return Number.parseFloat(text);
  return OTHER_NUMBER.test(text) ? unsure() : text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  '"': '"',
  "\\": "\\",
  "/": "/",
  " ": " ",
};

/** A quoted text on one line; the cursor stands on the quote. */
export function quotedScalar(cursor: Cursor): ScalarTree {
  const { text, at: start } = cursor;
  const quote = text[start];
  let value = "";
  for (let at = start + 1; ; ) {
    const char = text[at];
    if (char === undefined || char === "\n") unsure();
    if (char === quote) {
      if (quote === "'" && text[at + 1] === "'") {
        value += "'";
        at += 2;
        continue;
      }
      cursor.at = at + 1;
      return scalar(value, quote === "'" ? "single" : "double", cursor.place(start, at + 1));
    }
    if (char === "\\" && quote === '"') {
      const escaped = text[at + 1] ?? "";
      if (escaped === "u" || escaped === "x") {
        const length = escaped === "u" ? 4 : 2;
        const digits = text.slice(at + 2, at + 2 + length);
        if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== length) unsure();
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 2 + length;
      } else {
        value += ESCAPES[escaped] ?? unsure();
        at += 2;
      }
      continue;
    }
    value += char;
    at++;
  }
}

/** What a plain text may begin with; a dash only when it is part of a word. */
export function mayBePlain(text: string, at: number): boolean {
  const char = text[at] ?? "";
  if (char === "-") return /[^\s,[\]{}]/.test(text[at + 1] ?? " ");
  return !/[\s?:,[\]{}#&*!|>'"%@`]/.test(char);
}

/** A plain text up to the end of its line. */
export function plainScalar(cursor: Cursor): ScalarTree {
  const { text, at: start } = cursor;
  if (!mayBePlain(text, start)) unsure();
  const lineEnd = text.indexOf("\n", start);
  let line = text.slice(start, lineEnd === -1 ? text.length : lineEnd);
  const comment = line.indexOf(" #");
  if (comment !== -1) line = line.slice(0, comment);
  const word = line.replace(/ +$/, "");
  if (word.includes(": ") || word.endsWith(":")) unsure();
  cursor.at = start + word.length;
  const end = cursor.at;
  cursor.endLine();
  return scalar(plainValue(word), "plain", cursor.place(start, end));
}

const HEADER = /[|>]([-+]?) *(?: #[^\n]*)?\n/y;

/** A block text (`|` or `>`) below something that is indented by `parent`. */
export function block(cursor: Cursor, parent: number): ScalarTree {
  const { text, at: start } = cursor;
  HEADER.lastIndex = start;
  const header = HEADER.exec(text);
  if (!header) unsure();
  const lines: string[] = [];
  let indent = -1;
  let at = start + header[0].length;
  let end = at;
  while (at < text.length) {
    const lineEnd = text.indexOf("\n", at);
    if (lineEnd === -1) unsure();
    let blanks = at;
    while (text[blanks] === " ") blanks++;
    const isBlank = blanks === lineEnd;
    const width = blanks - at;
    if (isBlank) {
      if (indent === -1 || width > indent) unsure();
      lines.push("");
    } else {
      if (indent === -1) {
        if (width <= parent) unsure();
        indent = width;
      }
      if (width < indent) {
        if (width > parent) unsure();
        break;
      }
      lines.push(text.slice(at + indent, lineEnd));
      end = lineEnd + 1;
    }
    at = lineEnd + 1;
  }
  if (indent === -1) unsure();
  cursor.at = at;
  const isFolded = text[start] === ">";
  const value = chomped(lines, header[1] ?? "", isFolded ? folded : (some) => some.join("\n"));
  return scalar(value, isFolded ? "folded" : "literal", cursor.place(start, header[1] === "+" ? at : end));
}

function chomped(lines: readonly string[], chomp: string, join: (lines: readonly string[]) => string): string {
  let last = lines.length;
  while (lines[last - 1] === "") last--;
  const body = join(lines.slice(0, last));
  return chomp === "-" ? body : chomp === "+" ? body + "\n".repeat(lines.length - last + 1) : `${body}\n`;
}

/** Lines become one; blank lines between them become line breaks. Lines that are indented further keep theirs: unsure. */
function folded(lines: readonly string[]): string {
  let text = "";
  let blanks = 0;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith(" ") || line.endsWith(" ")) unsure();
    if (line === "") blanks++;
    else {
      text += index === 0 ? line : blanks > 0 ? "\n".repeat(blanks) + line : ` ${line}`;
      blanks = 0;
    }
  }
  return text;
}
