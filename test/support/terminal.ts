// For tests of what is redrawn: what a person would see after all that was written.

/** A terminal as far as the screen uses one: lines of text that wrap where it ends, and a cursor. */
export class Terminal {
  readonly isTTY = true;
  rows = 10;
  /** Lines as they were written; one that is wider than the terminal takes several rows. */
  lines: string[] = [""];
  writes = 0;
  cursor = true;
  #width = 20;
  #known = 20;
  /** The line that the cursor is in, and how many rows down in it. */
  #line = 0;
  #rowInLine = 0;

  /** What the program last read; the window may be narrower by now. */
  get columns(): number {
    return this.#known;
  }

  set columns(width: number) {
    this.#known = width;
    this.#width = width;
  }

  /** The window changes, its lines wrap anew, and the program has not heard of it yet. */
  resize(width: number): void {
    this.#width = width;
  }

  /** What a stream does when it asks its terminal. */
  _refreshSize(): void {
    this.#known = this.#width;
  }

  write(text: string): boolean {
    this.writes++;
    for (const [part] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|\n|\r|[^\u001b\n\r]+/g)) this.#take(part);
    return true;
  }

  #rowsOf(line: string): number {
    return Math.max(1, Math.ceil(line.length / this.#width));
  }

  #take(part: string): void {
    if (part === "\n") {
      this.lines[++this.#line] ??= "";
      this.#rowInLine = 0;
    } else if (part === "\u001b[J") {
      this.lines.splice(this.#line + 1);
      this.lines[this.#line] = (this.lines[this.#line] ?? "").slice(0, this.#rowInLine * this.#width);
    } else if (part === "\u001b[2K") this.lines[this.#line] = "";
    else if (/^\u001b\[\d+A$/.test(part)) for (let up = Number(part.slice(2, -1)); up > 0; up--) this.#up();
    else if (part === "\u001b[?25l") this.cursor = false;
    else if (part === "\u001b[?25h") this.cursor = true;
    else if (part !== "\r") this.lines[this.#line] = part;
  }

  #up(): void {
    if (this.#rowInLine > 0) this.#rowInLine--;
    else if (this.#line > 0) this.#rowInLine = this.#rowsOf(this.lines[--this.#line] ?? "") - 1;
  }

  get text(): string[] {
    return this.lines.slice(0, this.#line);
  }
}
