import { describe, expect, it } from "vitest";
import { Output, type Sink, wantsColor } from "./output.ts";
import { main, reportProblem, scanOutputSettings } from "./start.ts";
import { UsageError } from "./usage-error.ts";

async function told(error: unknown, args: readonly string[]) {
  const text = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr"): Sink => ({ write: (part) => (text[name] += part) });
  const output = new Output(scanOutputSettings(args, {}), { stdout: sink("stdout"), stderr: sink("stderr") });
  const code = await reportProblem(error, output, {});
  return { code, ...text };
}

describe("when a command line cannot be done", () => {
  it("wrong use is a sentence, where to read on, and exit code 2", async () => {
    expect(await told(new UsageError('There is no command "x".'), [])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'segno: There is no command "x".\nTry: segno --help\n',
    });
  });

  it.each([
    ["postgres://segno:hunter2@db/x", "postgres://db/x"],
    ["postgres://segno:hun/ter2@db/x", "postgres:…"],
    ["postgres:/segno:hunter2@db/x", "postgres:…"],
    ["postgres://db/x?password=hunter2", "postgres://db/x"],
  ])("the password in %s, where no command reads it as --on, is not printed back", async (address, shown) => {
    const { stdout, stderr } = await told(new UsageError(`There is no command "${address}".`), [
      "--output-format=json",
    ]);
    expect(`${stdout}${stderr}`).not.toMatch(/hun\/?ter2/);
    expect(stderr).toContain(`There is no command "${shown}".`);
  });

  it("is one object on stdout when json was asked for", async () => {
    const { code, stdout } = await told(new UsageError("Wrong.", { command: "run", suggestions: ["right"] }), [
      "frob",
      "--output-format",
      "json",
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      2,
      {
        schema: "segno.result/1",
        success: false,
        status: "invalid",
        exit_code: 2,
        error: "Wrong.",
        errors: [{ suggestions: ["right"] }],
      },
    ]);
  });

  it("a crash is a sentence without a stack, and exit code 1", async () => {
    const { code, stdout, stderr } = await told(new TypeError("x is not a function"), ["run", "--output-format=json"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^segno: Segno itself failed: x is not a function\n.*SEGNO_DEBUG=1/);
    expect(stderr).not.toContain(" at ");
    expect(JSON.parse(stdout)).toMatchObject({
      status: "failed",
      exit_code: 1,
      errors: [{ category: "exception", owner: "engine" }],
    });
  });

  it("is the last line of ndjson", async () => {
    expect(JSON.parse((await told(new Error("x"), ["--output-format", "ndjson"])).stdout)).toMatchObject({
      type: "result",
      data: { exit_code: 1 },
    });
  });
});

describe("a line without a command", () => {
  const none = async (): Promise<never> => Promise.reject(new Error("no face is needed"));
  async function answered(line: string) {
    const text = { stdout: "", stderr: "" };
    const sink = (name: "stdout" | "stderr"): Sink => ({ write: (part) => (text[name] += part) });
    const streams = { stdout: sink("stdout"), stderr: sink("stderr") };
    const faces = { lsp: none, mcp: none, server: none };
    const terminal = { env: {}, cwd: () => "/here", streams };
    const code = await main(line.split(" ").filter(Boolean), { version: "1.2.3", faces }, terminal);
    return { code, ...text };
  }

  it.each([
    ["--zz", "Without a command there is no option --zz."],
    ["--help --zz", "Without a command there is no option --zz."],
    ["--version --zz", "Without a command there is no option --zz."],
    ["-q --qiet", 'Without a command there is no option --qiet. Did you mean "--quiet"?'],
    ["--help=1", "--help takes no value."],
    ["--home", "--home needs a value after it."],
    ["--output-format", "--output-format needs a value after it."],
    ["--output-format jsn --help", '--output-format is one of text, json, ndjson, not "jsn". Did you mean "json"?'],
    ["help --zz", "Without a command there is no option --zz."],
  ])("%s is refused", async (line, sentence) => {
    const stderr = `segno: ${sentence}\nTry: segno --help\n`;
    expect(await answered(line)).toEqual({ code: 2, stdout: "", stderr });
  });

  it.each(["", "-q", "--home /h", "--no-color -v", "--"])("%s did nothing, and shows help", async (line) => {
    expect(await answered(line)).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("Usage") });
  });

  it("is answered with one object when json was asked for", async () => {
    const { code, stdout } = await answered("--output-format json");
    expect([code, JSON.parse(stdout).error]).toEqual([2, '"segno" needs a command.']);
  });

  it.each(["--help", "-h", "help", "-q --help"])("%s is help that was asked for", async (line) => {
    expect(await answered(line)).toEqual({ code: 0, stdout: expect.stringContaining("Usage"), stderr: "" });
  });

  it.each(["--version", "-q -V"])("%s says the version", async (line) => {
    expect(await answered(line)).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
  });
});

describe("the settings of a line that was not parsed", () => {
  it.each([
    [["x", "--output-format", "json"], "json"],
    [["--output-format=ndjson", "x"], "ndjson"],
    [["--output-format", "yaml"], "text"],
    [["x", "--", "--output-format", "json"], "text"],
    [["--output-format", "text", "x", "--output-format", "json"], "json"],
  ])("%j answers in %s", (args, format) => {
    expect(scanOutputSettings(args, {}).format).toBe(format);
  });
});

describe("colours", () => {
  const terminal = { write: () => true, isTTY: true };
  const pipe = { write: () => true };
  it.each([
    [terminal, {}, false, true],
    [pipe, {}, false, false],
    [terminal, { NO_COLOR: "1" }, false, false],
    [terminal, {}, true, false],
    [terminal, { TERM: "dumb" }, false, false],
    [pipe, { FORCE_COLOR: "1" }, false, true],
    [terminal, { FORCE_COLOR: "0" }, false, false],
    [pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, false],
  ])("%o with %j, --no-color %s: %s", (stream, env, plain, expected) => {
    expect(wantsColor(stream, { env, plain })).toBe(expected);
  });
});
