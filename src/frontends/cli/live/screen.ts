// The lower end of a terminal that is redrawn in place: lines that stay scroll up above it. Only lines that changed are
// written, and the cursor comes back however the process ends.
import { writeSync } from "node:fs";
import type { Sink } from "../output.ts";
import { plainButColors } from "../text/harmless.ts";
import { cut, widthOf } from "../text/width.ts";

const ESC = "\u001b[";
const HIDE = `${ESC}?25l`;
const SHOW = `${ESC}?25h`;

export class Screen {
  #drawn: readonly string[] = [];
  #hidden = false;
  /** Columns when the region was drawn: a terminal that became narrower has wrapped it. */
  #columns = 0;

  constructor(private readonly stream: Sink) {}

  get columns(): number {
    return this.stream.columns || 80;
  }

  get rows(): number {
    return this.stream.rows || 24;
  }

  /** Writes lines that stay, then the region below them. */
  draw(staying: readonly string[], region: readonly string[]): void {
    this.#measure();
    const width = this.columns;
    const next = region.map((line) => cut(rowOf(line), width - 1));
    const resized = this.#columns !== 0 && this.#columns !== width;
    if (staying.length === 0 && !resized && same(next, this.#drawn)) return;
    let text = this.#hidden ? "" : this.#hide();
    if (staying.length > 0 || resized) {
      text += `${this.#top(width)}${ESC}J${staying.map((line) => `${plainButColors(line)}\n`).join("")}${next.map((line) => `${line}\n`).join("")}`;
    } else {
      text += this.#top(width);
      for (const [index, line] of next.entries()) text += line === this.#drawn[index] ? "\n" : `${ESC}2K${line}\n`;
      if (next.length < this.#drawn.length) text += `${ESC}J`;
    }
    this.#drawn = next;
    this.#columns = width;
    this.stream.write(text);
  }

  /** Takes the region away and gives the cursor back: a question is being asked, or the run is over. */
  clear(): void {
    this.#measure();
    const text = this.#drawn.length > 0 ? `${this.#top(this.columns)}${ESC}J` : "";
    this.#drawn = [];
    this.#columns = 0;
    if (text || this.#hidden) this.stream.write(text + (this.#hidden ? SHOW : ""));
    this.#hidden = false;
    process.off("exit", showCursor);
  }

  /**
   * Asks for the size now. A stream hears of a new one by a signal, which a busy process takes after the timer that draws:
   * it would count rows as they were before the window wrapped them, and leave the rest behind.
   */
  #measure(): void {
    this.stream._refreshSize?.();
  }

  /** To the first line of the region, which takes more rows than lines when the terminal became narrower. */
  #top(width: number): string {
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0);
    return rows > 0 ? `\r${ESC}${rows}A` : "\r";
  }

  #hide(): string {
    this.#hidden = true;
    process.on("exit", showCursor);
    return HIDE;
  }
}

/** One row of the terminal, whatever the text: a line break in a name would put every row below it out of place. */
const rowOf = (line: string): string => plainButColors(line).replace(/[\n\t]/g, " ");

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

/** On the way out there is no time for a stream: straight to stderr. */
function showCursor(): void {
  try {
    writeSync(2, SHOW);
  } catch {
    // The terminal is gone, and its cursor with it.
  }
}
