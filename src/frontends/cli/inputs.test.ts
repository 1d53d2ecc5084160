import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFields, readInputs } from "./inputs.ts";

const cwd = mkdtempSync(join(tmpdir(), "segno-inputs-"));
writeFileSync(join(cwd, "notes.md"), "# Notes\n");
writeFileSync(join(cwd, "in.json"), '{"a": 1, "list": [1, 2]}');
writeFileSync(join(cwd, "list.json"), "[1]");
writeFileSync(join(cwd, "broken.json"), "{");
writeFileSync(join(cwd, "large.json"), '{"n": 1e999}');
execFileSync("mkfifo", [join(cwd, "pipe")]);

const read = (pairs: string[], file?: string) => ({ ...readInputs(pairs, file, { cwd, stdin: () => "from stdin" }) });

describe("inputs on the command line", () => {
  it("are text until the workflow says what they are; the first = divides", () => {
    expect(read(["a=1", "b=x=y", "c="])).toEqual({ a: { text: "1" }, b: { text: "x=y" }, c: { text: "" } });
  });

  it("come from a file with @ and from stdin with -", () => {
    expect(read(["notes=@notes.md", "token=-"])).toEqual({
      notes: { text: "# Notes\n" },
      token: { text: "from stdin" },
    });
  });

  it("come as values from a JSON file, and single ones win", () => {
    expect(read(["a=2"], "in.json")).toEqual({ a: { text: "2" }, list: { value: [1, 2] } });
  });

  it("come as values from stdin too", () => {
    const source = { cwd, stdin: () => '{"a": 1}' };
    expect({ ...readInputs([], "-", source) }).toEqual({ a: { value: 1 } });
    expect(() => readInputs(["a=-"], "-", source)).toThrow(/read once, and both --inputs and a want it/);
  });

  const refused: [string[], string | undefined, RegExp][] = [
    [["novalue"], undefined, /-i takes name=value, and "novalue" has no "="/],
    [["=x"], undefined, /has no name/],
    [["a=@none"], undefined, /-i a names the file none, and it cannot be read: there is no such file\./],
    [["a=-", "b=-"], undefined, /stdin can be read once, and both a and b want it/],
    [[], "none.json", /--inputs names the file none\.json/],
    [["a=@pipe"], undefined, /-i a names the file pipe, and it cannot be read: it is a pipe or a device/],
    [[], "pipe", /--inputs names the file pipe, and it cannot be read: it is a pipe or a device/],
    [[], "list.json", /must hold one JSON object/],
    [[], "broken.json", /is not JSON/],
    [[], "large.json", /large\.json cannot be used: it has the number 1e999/],
  ];
  it.each(refused)("%j %s is refused", (pairs, file, sentence) => {
    expect(() => read(pairs, file)).toThrow(sentence);
  });

  it("for a gate are texts as they are written", () => {
    expect(readFields(["why=@home", "n=-"])).toEqual({ why: "@home", n: "-" });
  });
});
