// Files that a workflow takes in by `!file` and `!yamlfile`.
import { describe, expect, it } from "vitest";
import { type Files, memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "./load.ts";

const load = (steps: string, files: Files, env: Record<string, string> = {}) =>
  loadWorkflow(
    "/w/main.yaml",
    memoryWorld({ "main.yaml": `workflow: { name: t, entry_point: a }\nagents:\n${steps}`, ...files }, env),
  );
const stepOf = (steps: string, files: Files, env: Record<string, string> = {}): unknown => {
  const { workflow, findings } = load(steps, files, env);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return workflow?.definition.agents[0];
};

describe("!file, where a field wants text", () => {
  it.each([
    ["a mapping", "p.md", "Role: judge\nTask: judge\n"],
    ["a list", "p.md", "- be brief\n- be kind\n"],
    ["no YAML at all", "p.yaml", "k: [v\n"],
    ["a key twice", "p.md", "Note: a\nNote: b\n"],
    ["tags that name no file", "p.md", "a: !file nowhere.md\n"],
    ["a tag that names itself", "p.yaml", "a: !file p.yaml\n"],
    ["an unknown tag", "p.yaml", "a: !ref x\n"],
  ])("is the text, also of %s", (_, name, text) => {
    expect(stepOf(`  - { name: a, prompt: !file ${name} }\n`, { [name]: text })).toMatchObject({ prompt: text });
  });

  it("takes the environment in", () =>
    expect(
      stepOf(
        "  - { name: a, prompt: !file p.yaml }\n",
        { "p.yaml": "to: ${WHO}\nor: ${ELSE:-none}\n" },
        { WHO: "Ann" },
      ),
    ).toMatchObject({ prompt: "to: Ann\nor: none\n" }));

  it("is the text in a list of texts, too", () =>
    expect(
      stepOf('  - { name: a, type: script, command: cat, args: ["-n", !file a.json] }\n', { "a.json": '{"a": 1}' }),
    ).toMatchObject({ args: ["-n", '{"a": 1}'] }));
});

describe("!file, where a field wants a mapping or a list", () => {
  it("is that, whatever the file is called", () =>
    expect(stepOf("  - { name: a, type: set, values: !file v.md }\n", { "v.md": "x: 1\ny: [2]\n" })).toMatchObject({
      values: { x: 1, y: [2] },
    }));

  it("says where a file is wrong that should be one", () =>
    expect(
      load("  - { name: a, type: set, value: 1, routes: !file v.yaml }\n", { "v.yaml": "x: [1\n" }).findings,
    ).toMatchObject([{ rule: "yaml-syntax", location: { file: "/w/v.yaml" } }]));
});

describe("!file, where both fit", () => {
  it.each([
    ["v.md", "x: 1\n", "x: 1\n"],
    ["v.txt", "- 1\n", "- 1\n"],
    ["v.yaml", "x: 1\n", { x: 1 }],
    ["v.json", '{"x": [1]}', { x: [1] }],
    ["v", "x: [1\n", "x: [1\n"],
  ])("%s with %j is %j", (name, text, value) => {
    expect(stepOf(`  - { name: a, type: set, value: !file ${name} }\n`, { [name]: text })).toMatchObject({ value });
  });

  it("refuses a .yaml that does not parse", () =>
    expect(load("  - { name: a, type: set, value: !file v.yaml }\n", { "v.yaml": "x: [1\n" }).findings).toMatchObject([
      { rule: "yaml-syntax", location: { file: "/w/v.yaml" } },
    ]));
});

describe("!yamlfile", () => {
  it.each([
    ["a mapping", "v.md", "x: 1\n", { x: 1 }],
    ["a list", "v.txt", "- 1\n", [1]],
    ["a number", "v.yaml", "5\n", 5],
    ["a text", "v.yaml", "five\n", "five"],
  ])("is the value of the file: %s", (_, name, text, value) => {
    expect(stepOf(`  - { name: a, type: set, value: !yamlfile ${name} }\n`, { [name]: text })).toMatchObject({ value });
  });

  it("takes in others, each relative to its own file", () =>
    expect(
      stepOf("  - { name: a, type: set, values: !yamlfile in/v.yaml }\n", {
        "in/v.yaml": "x: !yamlfile deep/w.yaml\ny: !file deep/t.txt\n",
        "in/deep/w.yaml": "[1, 2]\n",
        "in/deep/t.txt": "k: v\n",
      }),
    ).toMatchObject({ values: { x: [1, 2], y: "k: v\n" } }));

  it.each([
    ["is no YAML", { "v.txt": "x: [1\n" }, "yaml-syntax", "/w/v.txt"],
    ["is not there", {}, "missing-file", "/w/main.yaml"],
    ["takes itself in", { "v.txt": "x: !yamlfile v.txt\n" }, "yaml-syntax", "/w/v.txt"],
  ])("names the file that %s", (_, files: Files, rule, file) => {
    const { findings } = load("  - { name: a, type: set, value: !yamlfile v.txt }\n", files);
    expect(findings).toMatchObject([{ rule, location: { file } }]);
  });

  it("is refused where text is wanted and the file is a mapping", () =>
    expect(load("  - { name: a, prompt: !yamlfile v.yaml }\n", { "v.yaml": "x: 1\n" }).findings).toMatchObject([
      { rule: "wrong-type", severity: "error" },
    ]));
});

it("says of !rawfile which tag there is", () =>
  expect(load("  - { name: a, prompt: !rawfile p.md }\n", { "p.md": "x" }).findings).toMatchObject([
    { rule: "yaml-syntax", message: expect.stringContaining("`!file path`") },
  ]));

it.each(["${{ github.ref }}", "costs $3", "$HOME"])("leaves %s alone", (text) =>
  expect(stepOf(`  - { name: a, prompt: "${text}" }\n`, {})).toMatchObject({ prompt: text }),
);
