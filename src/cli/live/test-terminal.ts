// For tests of what is redrawn: what a person would see after all that was written.

/** A terminal as far as the screen uses one: rows of text and a cursor. */
export class Terminal {
  readonly isTTY = true;
  columns = 20;
  rows = 10;
  lines: string[] = [""];
  row = 0;
  writes = 0;
  cursor = true;

  write(text: string): boolean {
    this.writes++;
    for (const [part] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|\n|\r|[^\u001b\n\r]+/g)) this.#take(part);
    return true;
  }

  #take(part: string): void {
    if (part === "\n") this.lines[++this.row] ??= "";
    else if (part === "\u001b[J") this.lines.splice(this.row, Number.POSITIVE_INFINITY, "");
    else if (part === "\u001b[2K") this.lines[this.row] = "";
    else if (/^\u001b\[\d+A$/.test(part)) this.row -= Number(part.slice(2, -1));
    else if (part === "\u001b[?25l") this.cursor = false;
    else if (part === "\u001b[?25h") this.cursor = true;
    else if (part !== "\r") this.lines[this.row] = part;
  }

  get text(): string[] {
    return this.lines.slice(0, this.row);
  }
}
