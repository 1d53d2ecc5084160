import { describe, expect, it } from "vitest";
import { Screen } from "./screen.ts";

/** A terminal as far as the screen uses one: rows of text and a cursor. */
class Terminal {
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
    else if (part.endsWith("A")) this.row -= Number(part.slice(2, -1));
    else if (part === "\u001b[?25l") this.cursor = false;
    else if (part === "\u001b[?25h") this.cursor = true;
    else if (part !== "\r") this.lines[this.row] = part;
  }

  get text(): string[] {
    return this.lines.slice(0, this.row);
  }
}

describe("the region that is redrawn", () => {
  it("stays below the lines that stay", () => {
    const terminal = new Terminal();
    const screen = new Screen(terminal);
    screen.draw([], ["* a", "* b"]);
    screen.draw(["ok a"], ["* b"]);
    expect([terminal.text, terminal.cursor]).toEqual([["ok a", "* b"], false]);
    screen.draw([], ["* b", "* c", "* d"]);
    screen.draw(["ok b", "ok c"], ["* d"]);
    expect(terminal.text).toEqual(["ok a", "ok b", "ok c", "* d"]);
    screen.clear();
    expect([terminal.text, terminal.cursor]).toEqual([["ok a", "ok b", "ok c"], true]);
  });

  it("writes only what changed, and nothing when nothing did", () => {
    const terminal = new Terminal();
    const screen = new Screen(terminal);
    screen.draw([], ["a", "b"]);
    screen.draw([], ["a", "b"]);
    expect(terminal.writes).toBe(1);
    const written: string[] = [];
    const write = terminal.write.bind(terminal);
    terminal.write = (text) => {
      written.push(text);
      return write(text);
    };
    screen.draw([], ["a", "c"]);
    expect(written).toEqual(["\r\u001b[2A\n\u001b[2Kc\n"]);
    screen.clear();
  });

  it("cuts lines to the width, and draws anew when that changes", () => {
    const terminal = new Terminal();
    const screen = new Screen(terminal);
    screen.draw([], ["x".repeat(30)]);
    expect(terminal.text).toEqual([`${"x".repeat(18)}…`]);
    terminal.columns = 40;
    screen.draw([], ["x".repeat(30)]);
    expect(terminal.text).toEqual(["x".repeat(30)]);
    screen.clear();
  });
});
