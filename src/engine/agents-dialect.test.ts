// What steps of a file with `agents:` give as in Conductor, and steps of a file with `steps:` do not.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../test/support/engine/memory-run.ts";
import type { ModelResult } from "../steps/world.ts";
import type { Answer } from "./people/ask.ts";

const head = (more = "") => `workflow: { name: w, entry_point: a${more} }\nagents:\n`;

/** The same file in both dialects. */
const both = (text: string) => [text, text.replace("agents:\n", "steps:\n")] as const;
const outputsOf = async (text: string, options: Parameters<MemoryRun["drive"]>[0] = {}) =>
  Promise.all(both(text).map(async (file) => (await new MemoryRun(file).drive(options)).output));

describe("a script with `output:`", () => {
  const step = (output: string) =>
    `${head()}  - { name: a, type: script, command: x, output: ${output} }\noutput: { r: done }\n`;

  it("must print a JSON object, also when the mapping is empty", async () => {
    expect(await outputsOf(step("{}"), { scripts: { a: ["text"] } })).toEqual([undefined, { r: "done" }]);
    expect(await outputsOf(step("{}"), { scripts: { a: ["{}"] } })).toEqual([{ r: "done" }, { r: "done" }]);
  });

  it("is held to it also where its exit code is data", async () => {
    const file = `${head()}  - { name: a, type: script, command: x, output: { n: { type: number } }, routes: [{ to: $end, when: exit_code == 1 }, { to: $end }] }\n`;
    const { end } = await new MemoryRun(file).drive({ scripts: { a: [{ exitCode: 1 }] } });
    expect(end).toMatchObject({ type: "raised", error: { kind: "internal.schema_violation" } });
  });
});

describe("questions", () => {
  const file = `${head()}  - { name: a, type: questions, questions: [{ text: One }, { text: Two }, { text: Three, default: d }] }
output: { t: "{{ a.output.transcript }}", two: "{{ a.output['items'][1].answer }}", o: "{{ a.output.outcome }}" }
`;

  it("have a numbered transcript of what was answered, and null for what was not", async () => {
    const ask = async (): Promise<Answer> => ({
      kind: "questions",
      answers: [
        { id: "q1", answer: "yes", source: "free_text" },
        { id: "q2", answer: "", source: "skipped" },
        { id: "q3", answer: "d", source: "default" },
      ],
      outcome: "completed",
      by: "terminal",
    });
    expect(await outputsOf(file, { ask })).toEqual([
      { t: "Q1. One\nA: yes\n\nQ3. Three\nA: d", two: null, o: "completed" },
      { t: "Q: One\nA: yes\n\nQ: Two\nA: (skipped)\n\nQ: Three\nA: d", two: "", o: "completed" },
    ]);
  });

  it("that are skipped with all gates say so", async () => {
    const [agents, steps] = await outputsOf(file, { skipGates: true });
    expect(agents).toMatchObject({ o: "skipped_remaining", t: "Q3. Three\nA: d" });
    expect(steps).toMatchObject({ o: "completed" });
  });
});

it("a field that `input` marks as optional leaves its step defined", async () => {
  const file = `${head(", context: { mode: explicit }")}  - { name: a, type: set, values: { n: "1" }, routes: [{ to: b }] }
  - { name: b, type: set, input: ["a.output.f?"], value: "got {{ a.output.f | default('none') }}" }
output: { r: "{{ b.output }}" }
`;
  expect(await outputsOf(file)).toEqual([{ r: "got none" }, undefined]);
});

describe("a context that is too large", () => {
  const file = (
    strategy: string,
    most: number,
  ) => `${head(`, context: { max_tokens: ${most}, trim_strategy: ${strategy} }`)}  - { name: a, type: set, values: { t: "${"x".repeat(900)}" }, routes: [{ to: b }] }
  - { name: b, type: set, value: "{% if a is defined %}{{ a.output.t }}{% else %}gone{% endif %}", output_type: string }
output: { r: "{{ b.output }}" }
`;

  it("loses its newest output too", async () => {
    expect(await outputsOf(file("drop_oldest", 100))).toEqual([{ r: "gone" }, { r: "x".repeat(900) }]);
  });

  it("has texts cut with Conductor's marker", async () => {
    const [agents, steps] = await outputsOf(file("truncate", 100));
    expect(agents).toEqual({ r: `${"x".repeat(225)}... [truncated]` });
    expect(steps).toEqual({ r: `${"x".repeat(225)}… [truncated]` });
  });
});

describe("the prompt of an agent", () => {
  const promptOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const models = (): ModelResult => ({ ok: true, content: "hi", usage: {} });
    const { recorded } = await new MemoryRun(files).drive({ models });
    return recorded("agent_prompt_rendered")[0]?.rendered_prompt ?? "";
  };
  const child = `workflow: { name: c, entry_point: b, instructions: [Own.] }\nagents:\n  - { name: b, prompt: Go. }\n`;
  const main = `${head(", instructions: [rules.md]")}  - { name: a, type: workflow, workflow: child.yaml }\n`;

  it("begins with the instructions of the caller's file and its own, in a frame", async () => {
    const prompt = await promptOf({ "main.yaml": main, "child.yaml": child, "rules.md": "Rules.\n" });
    expect(prompt).toMatch(
      /^<workspace_instructions>\n[^\n]+\n\nRules\.\n\n---\n\nOwn\.\n<\/workspace_instructions>\n\nGo\.$/,
    );
  });

  it("begins with those of its own file alone in a file with `steps:`", async () => {
    const files = { "main.yaml": main, "child.yaml": child.replace("agents:", "steps:"), "rules.md": "Rules." };
    expect(await promptOf(files)).toBe("Own.\n\nGo.");
  });

  it("has a frame around skills, and a head for each of their files", async () => {
    const file = `${head(", runtime: { skills: [tide] }")}  - { name: a, prompt: Go. }\n`;
    const prompt = await promptOf({
      "main.yaml": file,
      "skills/tide/SKILL.md": "Tides.",
      "skills/tide/references/moon.md": "Moon.",
    });
    expect(prompt).toContain(
      '<skill name="tide">\n# SKILL.md\n\nTides.\n\n---\n\n# references/moon.md\n\nMoon.\n</skill>\n</skills>',
    );
  });
});
