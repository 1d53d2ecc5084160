// The text of one file with its lines: from offsets to an editor's positions and back, and how an edit changes it.

/** Both from 0, as editors count; a character is a UTF-16 unit. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  start: TextPosition;
  end: TextPosition;
}

/** Puts `newText` where the text from `start` to `end` (offsets) stood. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

export class SourceText {
  #starts: readonly number[] | undefined;

  constructor(readonly text: string) {}

  get starts(): readonly number[] {
    if (this.#starts) return this.#starts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
    return starts;
  }

  offset({ line, character }: TextPosition): number {
    const start = this.starts[line];
    if (start === undefined) return this.text.length;
    const next = this.starts[line + 1] ?? this.text.length + 1;
    return Math.min(start + character, next - 1);
  }

  position(offset: number): TextPosition {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (this.starts[low] ?? 0) };
  }

  range(start: number, end: number): TextRange {
    return { start: this.position(start), end: this.position(end) };
  }

  /** One line, without its end. */
  line(number: number): string {
    const start = this.starts[number] ?? this.text.length;
    const end = this.starts[number + 1];
    return this.text.slice(start, end === undefined ? undefined : end - 1);
  }

  /** The text after the changes of one notification, each made on what the ones before left. */
  changed(changes: readonly ({ range: TextRange; text: string } | { text: string })[]): SourceText {
    let now: SourceText = this;
    for (const change of changes)
      now = new SourceText(
        "range" in change
          ? now.text.slice(0, now.offset(change.range.start)) +
              change.text +
              now.text.slice(now.offset(change.range.end))
          : change.text,
      );
    return now;
  }
}

/** From the language's places, which count from 1. */
export const editorPosition = ({ line, column }: { readonly line: number; readonly column: number }): TextPosition => ({
  line: Math.max(0, line - 1),
  character: Math.max(0, column - 1),
});

export const isWithin = ({ line, character }: TextPosition, { start, end }: TextRange): boolean =>
  (line > start.line || (line === start.line && character >= start.character)) &&
  (line < end.line || (line === end.line && character <= end.character));
