// Files that become part of prompts: instructions, skills, and templates that a prompt takes in.
import { describe, expect, it } from "vitest";
import { type Files, memoryWorld } from "../../test/support/engine/memory-world.ts";
import { TemplateError } from "../template/index.ts";
import { loadWorkflow } from "./load.ts";

const load = (files: Files, env: Record<string, string> = {}) => loadWorkflow("/w/main.yaml", memoryWorld(files, env));
const head = (more: string): string => `workflow: { name: t, entry_point: a, ${more} }\n`;

describe("instructions", () => {
  it("are texts, and files by their path, in order", () => {
    const { workflow, findings } = load({
      "main.yaml": `${head('instructions: ["Be brief.", AGENTS.md, docs/house rules.txt]')}agents: [{ name: a }]\n`,
      "AGENTS.md": "# Rules\n",
      "docs/house rules.txt": "No tabs.\n",
    });
    expect(findings).toEqual([]);
    expect(workflow?.instructions).toBe("Be brief.\n\n---\n\n# Rules\n\n---\n\nNo tabs.");
    expect(workflow?.sources.get("/w/AGENTS.md")).toBe("# Rules\n");
  });

  it("that look like a file which is not there are a warning", () => {
    const { workflow, findings } = load({ "main.yaml": `${head("instructions: [NOPE.md]")}agents: [{ name: a }]\n` });
    expect(findings).toMatchObject([{ rule: "missing-file", severity: "warning" }]);
    expect(workflow?.instructions).toBe("NOPE.md");
  });
});

describe("skills", () => {
  const files = {
    "main.yaml": `${head("runtime: { skills: [one, ./team, ~/mine] }")}agents: [{ name: a, skills: [two, nowhere] }]\n`,
    "skills/one/SKILL.md": "One.\n",
    "skills/one/references/b.md": "B.\n",
    "skills/one/references/a.md": "A.\n",
    "skills/one/references/data.json": "{}",
    ".claude/skills/two/SKILL.md": "Two.\n",
    "team/x/SKILL.md": "X.\n",
    "team/y/SKILL.md": "Y.\n",
    "team/readme.md": "not a skill",
    "/home/me/mine/SKILL.md": "Mine.\n",
  };

  it("are what their SKILL.md and references say; a folder of them stands for all of its skills", () => {
    const { workflow, findings } = load(files, { HOME: "/home/me" });
    expect(findings).toMatchObject([{ rule: "missing-skill", node: "a", message: expect.stringContaining("nowhere") }]);
    const texts = [...(workflow?.skills ?? [])].map(([named, skills]) => [
      named,
      skills.map(({ name, parts }) => [name, ...parts.map((part) => `${part.name}: ${part.text}`)]),
    ]);
    expect(Object.fromEntries(texts)).toEqual({
      one: [["one", "SKILL.md: One.", "references/a.md: A.", "references/b.md: B."]],
      two: [["two", "SKILL.md: Two."]],
      "./team": [
        ["x", "SKILL.md: X."],
        ["y", "SKILL.md: Y."],
      ],
      "~/mine": [["mine", "SKILL.md: Mine."]],
      nowhere: [],
    });
  });
});

describe("templates of a prompt", () => {
  const files = {
    "main.yaml": `${head("")}agents: [{ name: a, prompt: !file prompts/a.md, system_prompt: "{% include 'tone.md' %}" }]\n`,
    "prompts/a.md": "{% include 'tone.md' %}{% include name %}",
    "prompts/tone.md": '{% import "inner/words.md" as w %}Kindly.',
    "prompts/inner/words.md": "w",
    "other/x.md": "x",
  };

  it("are found beside the file that it came from, below the workflow's folder alone", () => {
    const templates = load(files).workflow?.templatesAt(["agents", 0, "prompt"]);
    expect(templates?.("tone.md")).toContain("Kindly.");
    expect(templates?.("../other/x.md")).toBe("x");
    expect(templates?.("nope.md")).toBeUndefined();
    expect(() => templates?.("../../etc/passwd")).toThrow(TemplateError);
    expect(() => templates?.("/etc/passwd")).toThrow(/not below the workflow's folder/);
  });

  it("that it names outright are read with the file, so that a run pins them", () => {
    const { sources } = load(files);
    expect([...sources.keys()]).toEqual([
      "/w/main.yaml",
      "/w/prompts/a.md",
      "/w/prompts/tone.md",
      "/w/prompts/inner/words.md",
    ]);
  });

  it("are none when the prompt stands in the workflow file", () =>
    expect(load(files).workflow?.templatesAt(["agents", 0, "system_prompt"])).toBeUndefined());
});
