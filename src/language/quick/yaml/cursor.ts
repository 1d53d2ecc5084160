// Where the reader is in the text, and how it goes from line to line.
import type { SourceFile } from "../../source-file.ts";
import type { SourcePlace } from "../../tree.ts";

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
