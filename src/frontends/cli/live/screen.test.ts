import { describe, expect, it } from "vitest";
import { Terminal } from "../../../../test/support/terminal.ts";
import { Screen } from "./screen.ts";

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

  it("leaves nothing behind when the window became narrower, before anybody has said so", () => {
    const terminal = new Terminal();
    terminal.columns = 40;
    const screen = new Screen(terminal);
    screen.draw(["ok a"], ["* b  a line that is wide enough", "* c  another line like that one"]);
    terminal.resize(12);
    screen.draw([], ["* b", "* c"]);
    expect(terminal.text).toEqual(["ok a", "* b", "* c"]);
    screen.draw([], ["* b  wide agai", "* c"]);
    terminal.resize(5);
    screen.clear();
    expect(terminal.text).toEqual(["ok a"]);
  });

  it("gives a region's line one row, whatever is in it", () => {
    const terminal = new Terminal();
    const screen = new Screen(terminal);
    screen.draw([], ["* each[a\nb]\u001b[2J", "* c"]);
    expect(terminal.text).toEqual(["* each[a b]", "* c"]);
    screen.clear();
    expect(terminal.text).toEqual([]);
  });
});
