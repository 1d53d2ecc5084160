// What reaches the log of a CI: no text from a file, a name or a script is a command there.
import { expect, it } from "vitest";
import { Output } from "./output.ts";

function outputIn(env: Readonly<Record<string, string>>): { readonly output: Output; readonly text: () => string } {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const settings = { format: "text", quiet: false, verbose: false, plain: false, env } as const;
  return { output: new Output(settings, { stdout: sink, stderr: sink }), text: () => written.join("") };
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

it.each([
  ["GITHUB_ACTIONS", "true"],
  ["TF_BUILD", "True"],
  ["TEAMCITY_VERSION", "2025.07"],
])("gives a log that %s tells of no command that may stand anywhere in a line", (name, value) => {
  const { output, text } = outputIn({ [name]: value });
  const planted = [
    "##[add-mask]x",
    "a ##vso[task.setvariable variable=P]y",
    "##TeamCity[publishArtifacts 'z']",
    "###[x",
  ];
  output.print(planted.join("\n"));
  output.say(planted.join("\n"));
  expect(text()).not.toMatch(/##(vso|teamcity)?\[/i);
  expect(text().replaceAll("\u200b", "")).toBe(`${planted.join("\n")}\n`.repeat(2));
});

it("writes such a command in JSON so that only a reader of JSON sees it", () => {
  const { output, text } = outputIn({ TF_BUILD: "True" });
  const value = { name: "##vso[task.complete]", "##[key]": "## no command" };
  output.printJson(value);
  expect(text()).not.toMatch(/##(vso)?\[/);
  expect(JSON.parse(text())).toEqual(value);
});

it("changes nothing elsewhere", () => {
  const { output, text } = outputIn({});
  output.print("::x ##[y]");
  expect(text()).toBe("::x ##[y]\n");
});

it("takes a terminal that does not know its width for one of 80 columns", () => {
  const settings = { format: "text", quiet: false, verbose: false, plain: false, env: {} } as const;
  const sink = { write: () => {}, isTTY: true, columns: 0 };
  const output = new Output(settings, { stdout: sink, stderr: sink });
  expect([output.stdout.columns, output.stderr.columns, output.columns]).toEqual([80, 80, 80]);
});

it("counts in one line of the terminal, and clears it", () => {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text), isTTY: true };
  const settings = { format: "text", quiet: false, verbose: false, plain: false, env: {} } as const;
  const output = new Output(settings, { stdout: sink, stderr: sink });
  output.count("9 of 10 \u001b[2Jruns");
  output.count("");
  expect(written).toEqual(["\r9 of 10 runs\u001b[K", "\r\u001b[K"]);
});
