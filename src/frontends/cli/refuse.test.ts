import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Sink } from "./output.ts";
import { main } from "./start.ts";

const home = mkdtempSync(join(tmpdir(), "segno-refuse-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function asked(line: string) {
  const text = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr"): Sink => ({ write: (part) => (text[name] += part) });
  const streams = { stdout: sink("stdout"), stderr: sink("stderr") };
  const terminal = { env: { SEGNO_HOME: home }, cwd: () => home, streams };
  const code = await main(line.split(" "), { version: "0", faces: {} as never }, terminal);
  return { code, ...text };
}

const LINES = [
  "show nosuch",
  "events nosuch",
  "explain nosuch",
  "trace nosuch",
  "replay nosuch",
  "cancel nosuch",
  "resume nosuch",
  "resume nosuch.yaml",
  "repair nosuch",
  "gate answer nosuch yes",
  "dlq show nosuch",
  "dlq drop nosuch",
  "dlq retry nosuch",
  "breakers reset nosuch",
  "test nosuch.yaml",
  "eval nosuch.eval.yaml",
];

describe("what cannot be done for one reason", () => {
  it.each(LINES)("segno %s says so on stderr, after `segno:`, with exit code 2", async (line) => {
    const { code, stdout, stderr } = await asked(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^segno: there is no /);
  });

  it.each(LINES)("segno %s gives the object on stdout when json was asked for", async (line) => {
    const { stdout } = await asked(`${line} --output-format json`);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, exit_code: 2 });
  });
});

describe("an option that is only for a fleet", () => {
  it.each([
    ["--detach", "--detach leaves a run to the workers of a fleet: give its address with --on."],
    ["--priority high", "--priority is about runs that wait for a worker of a fleet: give its address with --on."],
  ])("segno run x.yaml %s is refused without one", async (option, message) => {
    const { code, stdout, stderr } = await asked(`run x.yaml ${option}`);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `segno: ${message}\nTry: segno run --help\n`,
    });
  });
});
