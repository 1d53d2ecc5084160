// What reaches the log of a CI: no text from a file, a name or a script is a command there.
import { expect, it } from "vitest";
import { Output } from "./output.ts";

function outputIn(env: Readonly<Record<string, string>>): { readonly output: Output; readonly text: () => string } {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const manner = { format: "text", quiet: false, verbose: false, plain: false, env } as const;
  return { output: new Output(manner, { stdout: sink, stderr: sink }), text: () => written.join("") };
}

it("gives GitHub Actions no command but those of the reporter", () => {
  const { output, text } = outputIn({ GITHUB_ACTIONS: "true" });
  output.print("a\n::error::planted\n  ::add-mask::x");
  output.say("::stop-commands::y");
  expect(
    text()
      .split("\n")
      .filter((line) => line.trimStart().startsWith("::")),
  ).toEqual([]);
  expect(text().replaceAll("\u200b", "")).toBe("a\n::error::planted\n  ::add-mask::x\n::stop-commands::y\n");
  output.report("::error file=a.yaml::meant\n");
  expect(text()).toContain("\n::error file=a.yaml::meant\n");
});

it("changes nothing elsewhere", () => {
  const { output, text } = outputIn({});
  output.print("::x");
  expect(text()).toBe("::x\n");
});
