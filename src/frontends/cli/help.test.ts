import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../base/results/result.ts";
import { completionScript } from "./commands/completion.ts";
import { helpOn, overview } from "./help.ts";
import { Output } from "./output.ts";
import { COMMANDS, FIRST_COMMANDS } from "./table/index.ts";

const sink = { write: () => true };
const output = new Output(
  { format: "text", quiet: false, verbose: false, plain: true, env: {} },
  { stdout: sink, stderr: sink },
);
const flat = (text: string): string => text.replace(/\s+/g, " ");

describe("help", () => {
  it("lists the commands of a first week, and says how to see the others", () => {
    const text = flat(overview(output));
    const listed = COMMANDS.filter(({ name, summary }) => text.includes(flat(`${name} ${summary}`)));
    expect(new Set(listed.map(({ name }) => name))).toEqual(FIRST_COMMANDS);
    expect(FIRST_COMMANDS.size).toBe(10);
    expect(text).toContain(`segno --help --all lists all ${COMMANDS.length} commands.`);
  });

  it("calls the program as the user does", () => {
    const resume = COMMANDS.find(({ name }) => name === "resume");
    const text = overview(output, { program: "npx segno" }) + (resume ? helpOn(resume, output, "npx segno") : "");
    expect(text).toContain("Usage  npx segno <command>");
    expect(text).toContain("  npx segno run my-flow/hello.yaml\n");
    expect(text).toContain("Usage  npx segno resume [run] [file]");
    expect(text).not.toMatch(/(?<!npx )segno (run|resume|init|<)/);
  });

  it("on everything lists every command that is there, and the exit codes", () => {
    const text = flat(overview(output, { isWhole: true }));
    for (const { name, summary } of COMMANDS) expect(text).toContain(flat(`${name} ${summary}`));
    for (const { code, when } of EXIT_CODES) expect(text).toContain(`${code} ${when}`);
  });

  it("of run and resume ends with the exit codes", () => {
    for (const name of ["run", "resume"]) {
      const spec = COMMANDS.find((each) => each.name === name);
      const text = flat(spec ? helpOn(spec, output) : "");
      for (const { code, when } of EXIT_CODES) expect(text).toContain(`${code} ${when}`);
    }
  });

  it("of every command has its options, its arguments and its examples", () => {
    for (const spec of COMMANDS) {
      const text = helpOn(spec, output);
      for (const { flags } of spec.options ?? []) expect(text).toContain(flags);
      for (const { name } of spec.arguments ?? []) expect(text).toMatch(new RegExp(`[<[]${name}(\\.\\.\\.)?[>\\]]`));
      for (const { line } of spec.examples) expect(text).toContain(line);
      expect(text).toContain("--output-format");
    }
  });

  it("fits 80 columns, but for examples", () => {
    for (const text of [overview(output, { isWhole: true }), ...COMMANDS.map((spec) => helpOn(spec, output))])
      for (const line of text.split("\n"))
        if (!/^ {2}(segno|source) /.test(line)) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe("completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"] as const)(
    "for %s knows every command and option that is there",
    (shell) => {
      const script = completionScript(shell, COMMANDS);
      for (const { name, options = [] } of COMMANDS) {
        for (const word of name.split(" ")) expect(script).toContain(word);
        for (const { flags } of options) expect(script).toContain(/--([\w-]+)/.exec(flags)?.[1]);
      }
    },
  );
});
