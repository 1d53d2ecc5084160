import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Files, memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "./load.ts";
import { type Finding, familySources } from "./loaded.ts";

const load = (files: Files | string, env: Record<string, string> = {}) =>
  loadWorkflow("/w/main.yaml", memoryWorld(typeof files === "string" ? { "main.yaml": files } : files, env));

const head = "workflow: { name: t, entry_point: a }\n";
const step = (fields: string): string => `${head}agents:\n  - { name: a, ${fields} }\n`;
const short = (finding: Finding): string => `${finding.rule} ${finding.location.line}:${finding.location.column}`;
const errors = (findings: readonly Finding[]): string[] =>
  findings.filter((one) => one.severity === "error").map(short);

describe("what cannot be read is said, not thrown", () => {
  it.each<[string, string | Uint8Array, string, RegExp]>([
    ["nothing", "", "yaml-syntax 1:1", /it is empty/],
    ["comments only", "# hello\n", "yaml-syntax 1:1", /it is empty/],
    ["a list", "- a\n", "wrong-type 1:1", /a list of 1/],
    ["a text", "hello\n", "wrong-type 1:1", /the text "hello"/],
    ["bytes that are no UTF-8", new Uint8Array([0x61, 0x3a, 0xff]), "unreadable-file 1:1", /not UTF-8/],
    ["a binary file", new Uint8Array([0x61, 0, 0x62]), "unreadable-file 1:1", /binary/],
    ["a reserved character", "workflow:\n  name: x\n  entry_point: @y\n", "yaml-syntax 3:16", /double quotes/],
    ["a bracket that is not closed", "a:\n  - b: [c, d\n    e:\n", "yaml-syntax 3:5", /`\[` or `\{` further up/],
    ["an open quote", 'a: "x"\nb: "it\nc: d\n', "yaml-syntax 2:4", /begins here is not closed/],
    ["a tab", "workflow:\n\tname: x\n", "yaml-syntax 2:1", /tabs/],
    ["a key twice", `${head}output: {}\noutput: {}\n`, "yaml-syntax 3:1", /`output` is written twice.*line 2/],
    [
      "a key that is indented too far",
      "workflow:\n  name: x\n    entry_point: a\n",
      "yaml-syntax 3:5",
      /`entry_point` is indented further than the line before it.*column 3, as `name` does/,
    ],
    [
      "a key that is indented too far, in a list",
      "agents:\n  - name: x\n      type: set\n    value: 1\n",
      "yaml-syntax 3:7",
      /`type` is indented further.*column 5, as `name` does/,
    ],
    [
      "a key that is indented as more of an entry",
      "a:\n  - x\n    b: 1\n",
      "yaml-syntax 3:5",
      /`b` is indented further.*same column as the key/,
    ],
    [
      "a key that is not indented enough, in a list",
      "agents:\n  - name: x\n    type: set\n   value: 1\n",
      "yaml-syntax 4:1",
      /further left than the keys.*same column as those keys/,
    ],
    ["a key without its colon", "workflow:\n  name\n  entry_point: a\n", "yaml-syntax 2:3", /A colon may be missing/],
    ["a second value on the line", "workflow:\n  name: one: two\n", "yaml-syntax 2:9", /second `key: value`/],
    [
      "a name that would be lost",
      `${head}output: { __proto__: 1 }\n`,
      "yaml-syntax 2:11",
      /`__proto__` cannot be a name/,
    ],
    [
      "such a name in a block",
      `${head}agents:\n  - name: a\n    type: set\n    values:\n      __proto__: 1\n`,
      "yaml-syntax 6:7",
      /`__proto__` cannot be a name/,
    ],
    ["two documents", "a: 1\n---\nb: 1\n", "yaml-syntax 2:1", /one document/],
    ["an unknown tag", "workflow: !include x.yaml\n", "yaml-syntax 1:11", /`!include` is not a tag/],
    ["an anchor that is not there", "workflow: *x\n", "yaml-syntax 1:11", /anchor/],
    ["a value that holds itself", "workflow: &x [*x]\n", "yaml-syntax 1:15", /cannot hold itself/],
    ["a mapping as a key", "workflow: {name: {{ x }} }\n", "yaml-syntax 1:19", /key/],
    ["deep nesting", `workflow: ${"[".repeat(20_000)}\n`, "yaml-syntax 1:1", /100 levels/],
  ])("%s", (_what, text, expected, message) => {
    const { findings } = load({ "main.yaml": text });
    expect(errors(findings)).toContain(expected);
    expect(findings.find((one) => short(one) === expected)?.message).toMatch(message);
  });

  it("a file that is not there, or is a folder", () => {
    expect(load({}).findings[0]).toMatchObject({
      rule: "missing-file",
      message: expect.stringContaining("/w/main.yaml"),
    });
    expect(load({ "main.yaml/x": "" }).findings[0]).toMatchObject({
      rule: "unreadable-file",
      message: expect.stringContaining("folder"),
    });
  });

  it("a byte order mark is no part of the text", () => {
    expect(load(`\uFEFF${step("type: set, value: x")}`).findings).toEqual([]);
  });
});

describe("aliases and merge keys", () => {
  it("are followed", () => {
    const { workflow, findings } = load(
      `${head}agents:\n  - &base { name: a, type: script, command: x, timeout: 5 }\n  - { <<: *base, name: b, timeout: 6 }\n  - { <<: [{command: y}, *base], name: c }\n`,
    );
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents).toMatchObject([
      { name: "a", command: "x", timeout: 5 },
      { name: "b", command: "x", timeout: 6 },
      { name: "c", command: "y", timeout: 5 },
    ]);
  });

  it("that multiply are refused", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `x${i + 1}: &x${i + 1} [${Array(10).fill(`*x${i}`).join(", ")}]`,
    );
    expect(load(`x0: &x0 [1]\n${levels.join("\n")}\n`).findings[0]?.message).toMatch(
      /Aliases .* more than 200000 values/,
    );
  });
});

describe("!file", () => {
  it("takes in structure with its own positions, and anything else as text", () => {
    const { workflow, findings } = load({
      "main.yaml": "workflow: { name: t, entry_point: a }\nagents: !file parts/steps.yaml\n",
      "parts/steps.yaml": "- name: a\n  type: script\n  command: sh\n  stdin: !file ../run.sh\n  nope: 1\n",
      "run.sh": "echo: ${HOME\r\n",
    });
    expect(findings).toMatchObject([
      { rule: "unknown-key", location: { file: "/w/parts/steps.yaml", line: 5, column: 3 } },
    ]);
    expect(workflow?.definition.agents[0]).toMatchObject({ stdin: "echo: ${HOME\n" });
    expect([...(workflow?.sources.keys() ?? [])]).toEqual(["/w/main.yaml", "/w/parts/steps.yaml", "/w/run.sh"]);
  });

  it("text that happens to look like a mapping stays text where text is wanted", () => {
    const { workflow, findings } = load({ "main.yaml": step("prompt: !file p.md"), "p.md": "Note: be brief\n" });
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).toMatchObject({ prompt: "Note: be brief\n" });
  });

  it("files that take each other in are refused with the chain", () => {
    const { findings } = load({
      "main.yaml": `${head}agents: !file b.yaml\n`,
      "b.yaml": "- name: a\n  prompt: !file main.yaml\n",
    });
    expect(findings[0]?.message).toContain("/w/main.yaml → /w/b.yaml → /w/main.yaml");
  });

  it("a file that is not there is named", () => {
    const { findings } = load(step("prompt: !file nope.md"));
    expect(findings).toMatchObject([
      { rule: "missing-file", location: { line: 3, column: 30 }, message: expect.stringContaining("/w/nope.md") },
    ]);
  });

  it("an error in a structured file is reported there", () => {
    const { findings } = load({ "main.yaml": `${head}agents: !file b.yaml\n`, "b.yaml": "- name: a\n  x: @\n" });
    expect(findings[0]).toMatchObject({ rule: "yaml-syntax", location: { file: "/w/b.yaml", line: 2 } });
  });
});

describe("the environment", () => {
  it("is put into values, not into keys, and `raw` keeps what is written", () => {
    const { workflow } = load(
      'workflow: { name: "${N}", entry_point: a, description: "$${N}", metadata: { "${N}": 1 } }\nsteps: [{ name: a, type: set, value: "${N}" }]\n',
      { N: "x" },
    );
    expect(workflow?.definition.workflow).toMatchObject({ name: "x", description: "${N}", metadata: { "${N}": 1 } });
    expect(workflow?.raw).toMatchObject({ workflow: { name: "${N}" }, steps: [{ value: "${N}" }] });
  });

  it("that lacks a name is an error at the place of the name", () => {
    const { findings } = load(step('type: set, value: "hi ${NOPE}"'));
    expect(findings).toMatchObject([
      { rule: "unset-variable", location: { line: 3, column: 38 }, message: expect.stringContaining("`NOPE`") },
    ]);
  });

  it("leaves a script's args, stdin and env to the shell", () => {
    const { workflow, findings } = load(
      step('type: script, command: sh, args: ["${X} ${Y:-d} ${Z}"], stdin: "${X}", env: { A: "${X}" }'),
      { Z: "z" },
    );
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).toMatchObject({ args: ["${X} d z"], stdin: "${X}", env: { A: "${X}" } });
  });

  it("gives numbers and booleans where those are wanted", () => {
    const { workflow, findings } = load(
      'workflow: { name: t, entry_point: a, limits: { max_iterations: "${N:-5}" }, input: { n: { type: number, default: "${N:-7}", required: "${R:-false}" } } }\nagents: [{ name: a, type: script, command: x, timeout: "${T:-9}" }]\n',
    );
    expect(findings).toEqual([]);
    expect(workflow?.definition).toMatchObject({
      workflow: { limits: { max_iterations: 5 }, input: { n: { default: 7, required: false } } },
      agents: [{ timeout: 9 }],
    });
  });

  it("a gap is said once, not again as a wrong type", () => {
    const { findings } = load(
      "workflow: { name: t, entry_point: a, limits: { max_iterations: '${NOPE}' } }\nagents: [{ name: a, prompt: x }]\n",
    );
    expect(findings.map((one) => one.rule)).toEqual(["unset-variable"]);
  });
});

describe("a wrong form is said with what was found, what is wanted and an example", () => {
  it.each<[string, string, string, RegExp]>([
    [
      "a misspelt key",
      "type: script, comand: x",
      "unknown-key 3:30",
      /`comand` is not a field of a script step. Did you mean `command`\? It takes `type`, `name`, .*`command`, `args`.* and `\w+`\.$/,
    ],
    [
      "a field of another type",
      "type: script, command: x, status: failed",
      "unknown-key 3:42",
      /belongs to steps of type `terminate`/,
    ],
    [
      "a field of every step on a group",
      "type: set, value: 1 }\nparallel:\n  - { name: g, agents: [a, b], type: parallel",
      "unknown-key 5:32",
      /`type` is not a field of a parallel group; it belongs to steps, under `steps:`/,
    ],
    [
      "routes on terminate",
      "type: terminate, status: success, reason: r, routes: []",
      "unknown-key 3:61",
      /every type of step but `terminate`/,
    ],
    [
      "a forgotten type",
      "command: x, args: [y]",
      "unknown-key 3:16",
      /has no `type`.*`command` and `args`.*Add `type: script`/,
    ],
    ["an unknown type", "type: scrpt, command: x", "wrong-type 3:22", /no step type `scrpt`. Did you mean `script`/],
    [
      "a type of other tools",
      "type: bash, command: x",
      "wrong-type 3:22",
      /no step type `bash`. Did you mean `script`/,
    ],
    ["a group among the steps", "type: for_each", "wrong-type 3:22", /it stands in the file's own list `for_each:`/],
    ["a missing field", "type: script", "missing-key 3:5", /`command` of step `a` is missing.*`command: git`/],
    [
      "a missing word of a few",
      "type: terminate, reason: r",
      "missing-key 3:5",
      /`status` of step `a` is missing.*one of success, failed/,
    ],
    [
      "a wrong type",
      "type: script, command: x, timeout: soon",
      "wrong-type 3:51",
      /must be a number of seconds.*the text "soon".*`timeout: 30`/,
    ],
    [
      "a value out of range",
      "max_agent_iterations: 501",
      "wrong-type 3:38",
      /a whole number from 1 to 500, but it is the number 501/,
    ],
    ["a word that is not offered", "output_mode: row", "wrong-type 3:29", /one of raw, envelope.*Did you mean `raw`/],
    ["a text for a list", "tools: web", "wrong-type 3:23", /a list of texts.*Write it as a list: `\[web\]`/],
    [
      "a text for arguments",
      `type: script, command: ls, args: "-la '/my files' {{ a.b }}"`,
      "wrong-type 3:49",
      /Write it as a list: `\[-la, "\/my files", "{{ a\.b }}"\]`/,
    ],
    [
      "a retry on the step",
      "type: script, command: x, retry: 3",
      "unknown-key 3:42",
      /`retry` is not a field of a script step; it belongs to a route for errors, such as `- { on_error: true, retry: 3 }`/,
    ],
    [
      "an error route on the step",
      "type: http, url: 'http://x', on_error: true",
      "unknown-key 3:45",
      /`on_error` is not a field of an http step; it belongs to an entry of `routes`/,
    ],
    [
      "a key inside a route",
      "routes: [{ too: b }]",
      "unknown-key 3:27",
      /`too` is not a field of `routes\[0\]` of step `a`. Did you mean `to`/,
    ],
    [
      "a retry without max",
      "routes: [{ on_error: true, retry: {} }]",
      "wrong-type 3:50",
      /Step `a`: `retry` needs `max`/,
    ],
    [
      "an empty when",
      "routes: [{ when: , to: b }]",
      "wrong-type 3:33",
      /`routes\[0\].when` of step `a` must be text, but it is empty/,
    ],
    [
      "an empty when of an author's rule",
      "type: script, command: x, raise_when: [{ when: , kind: a.b, message: m }]",
      "wrong-type 3:63",
      /`raise_when\[0\].when` of step `a` must be text, but it is empty/,
    ],
    ["value and values", "type: set, value: 1, values: {}", "wrong-type 3:37", /not both/],
    ["neither value nor values", "type: set", "missing-key 3:5", /needs `value` or `values`/],
    ["a wait that is too long", "type: wait, duration: 25h", "wrong-type 3:38", /up to 24h/],
    ["an empty reason", 'type: terminate, status: failed, reason: " "', "wrong-type 3:57", /why the workflow ends/],
    [
      "an option without a name",
      "type: human_gate, prompt: p, options: [{ route: b }]",
      "missing-key 3:55",
      /needs a `value`/,
    ],
  ])("%s", (_what, fields, expected, message) => {
    // In a file with `agents:` some of these are warnings.
    const { findings } = load(step(fields).replace("agents:", "steps:"));
    expect(findings.map(short)).toEqual([expected]);
    expect(findings[0]?.message).toMatch(message);
  });

  it.each<[string, string, string, RegExp]>([
    ["a section in the wrong place", `${head}agents: []\nlimits: {}\n`, "unknown-key 3:1", /belongs under `workflow:`/],
    [
      "steps under workflow",
      "workflow: { name: t, entry_point: a, agents: [] }\nagents: []\n",
      "unknown-key 1:38",
      /top level/,
    ],
    [
      "an empty when in the error routes of the file",
      "workflow: { name: t, entry_point: a, error_routes: [{ on_error: true, when: , to: a }] }\nagents: [{ name: a, type: set, value: 1 }]\n",
      "wrong-type 1:77",
      /`workflow.error_routes\[0\].when` must be text, but it is empty/,
    ],
    ["no workflow", "agents: []\n", "missing-key 1:1", /`workflow` is missing/],
    ["a list in the file", "- a\n", "wrong-type 1:1", /a mapping with `workflow:` and `steps:`/],
    ["a strange section", `${head}steps: []\nqqq: 1\n`, "unknown-key 3:1", /`tools`, `steps`, `parallel`/],
    ["one of a file of agents", `${head}agents: []\nqqq: 1\n`, "unknown-key 3:1", /`tools`, `agents`, `parallel`/],
    ["a misspelt list", `${head}stpes: []\nparallel: []\n`, "unknown-key 2:1", /Did you mean `steps`\?/],
    ["a group among the steps", `${head}steps: [{ name: a, type: parallel }]\n`, "wrong-type 2:26", /beside `steps:`/],
    ["no steps", head, "missing-key 1:1", /no steps/],
    [
      "agents and steps",
      `${head}agents: []\nsteps: []\n`,
      "two-dialects 2:1",
      /`agents:` \(line 2\) and `steps:` \(line 3\)/,
    ],
    ["steps that are no list", `${head}agents: { name: a }\n`, "wrong-type 2:9", /must be a list/],
    [
      "one member",
      `${head}agents: []\nparallel: [{ name: p, agents: [a] }]\n`,
      "wrong-type 3:31",
      /at least 2 entries/,
    ],
    [
      "a group without its step",
      `${head}agents: []\nfor_each: [{ name: f, type: for_each, source: a.b.c, as: x }]\n`,
      "missing-key 3:12",
      /`agent` of group `f` is missing/,
    ],
    [
      "a loop variable that hides a name",
      `${head}agents: []\nfor_each: [{ name: f, type: for_each, source: a.b.c, as: output, agent: { name: w } }]\n`,
      "wrong-type 3:58",
      /may not be one of/,
    ],
    [
      "a loop variable of signs that are no letters",
      `${head}agents: []\nfor_each: [{ name: f, type: for_each, source: a.b.c, as: 变·→, agent: { name: w } }]\n`,
      "wrong-type 3:58",
      /of any script, and "变·→" has other signs: templates could not read it/,
    ],
    [
      "two policies in one entry",
      "workflow: { name: t, entry_point: a, policies: [{ budget: 5, module: x }] }\nagents: []\n",
      "wrong-type 1:49",
      /exactly one policy/,
    ],
    [
      "an MCP server without a command",
      "workflow: { name: t, entry_point: a, runtime: { mcp_servers: { s: {} } } }\nagents: []\n",
      "missing-key 1:67",
      /needs `command`/,
    ],
  ])("%s", (_what, text, expected, message) => {
    const { findings } = load(text);
    expect(findings.map(short)).toEqual([expected]);
    expect(findings[0]?.message).toMatch(message);
  });

  it("all of it at once, and what is right around it is kept", () => {
    const { workflow, findings } = load(
      `${head}agents:\n  - name: a\n    type: script\n    comand: x\n    timeout: soon\n    routes: [b, { to: c, retry: { max: 0 } }]\n  - just text\n  - { name: b, type: nothing_like_it, routes: [{ to: c }] }\n  - { name: c, type: set, value: 1 }\n`,
    );
    expect(errors(findings)).toEqual([
      "unknown-key 5:5",
      "wrong-type 6:14",
      "wrong-type 7:14",
      "wrong-type 7:40",
      "wrong-type 8:5",
      "wrong-type 9:22",
    ]);
    expect(workflow?.definition.agents).toMatchObject([
      { name: "a", type: "script", command: "", routes: [{}, { to: "c" }] },
      { name: "b", routes: [{ to: "c" }] },
      { name: "c", value: 1 },
    ]);
    expect(workflow?.pathOf("c")).toEqual(["agents", 3]);
  });

  it("is said in our own words", () => {
    const { findings } = load(
      `${head}agents:\n  - { name: [], type: http, url: 5, method: 5, headers: [], accept_status: x, output: { a: 5 }, cache: 5, raises: {}, raise_when: [5], phase: [] }\n`,
    );
    expect(findings.length).toBeGreaterThan(8);
    for (const { message } of findings) expect(message).not.toMatch(/invalid|expected|received|undefined|\bNaN\b/i);
  });
});

describe("small differences need no word", () => {
  it("numbers and booleans are taken as text as they are written", () => {
    const { workflow, findings } = load(step("type: script, command: x, args: [5, 1.10, true], env: { PORT: 0x1F }"));
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).toMatchObject({ args: ["5", "1.10", "true"], env: { PORT: "0x1F" } });
  });

  it("an option left empty is an option left out", () => {
    const { workflow, findings } = load(step("model: , tools: null, description:"));
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).not.toHaveProperty("tools");
    const rule = "{ when: 'true', kind: a.b, message: m, details: }";
    expect(load(step(`type: script, command: x, raise_when: [${rule}]`)).findings).toEqual([]);
  });

  it("short forms mean the long ones", () => {
    const { workflow, findings } = load(
      step(
        "timeout: 2m, provider: claude, cache: { ttl: 1h }, routes: [{ on_error: true, retry: 3 }, { on_error: true, halt: stop }, { to: b }]",
      ),
    );
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).toMatchObject({
      timeout: 120,
      timeout_seconds: 120,
      provider: { name: "claude" },
      cache: { ttl: 3600 },
      routes: [
        { retry: { max: 3, backoff: "exponential", initial_seconds: 1, max_seconds: 60, jitter: 0 } },
        { halt: { message: "stop" } },
        { to: "b" },
      ],
    });
  });

  it("what rules judge better is left to them", () => {
    const { workflow, findings } = load(
      step("routes: [{ on_error: false, to: b, halt: { message: x } }, { on_error: [], propagate: false }, {}]"),
    );
    expect(findings).toEqual([]);
    expect(workflow?.definition.agents[0]).toMatchObject({
      routes: [{ on_error: false, to: "b", halt: { message: "x" } }, { on_error: [], propagate: false }, {}],
    });
  });

  it("`steps` is `agents`, and paths keep the word of the file", () => {
    const { workflow } = load(`${head}steps: [{ name: a }]\n`);
    expect(workflow?.definition.agents).toMatchObject([{ name: "a", type: "agent", prompt: "" }]);
    expect(workflow?.pathOf("a")).toEqual(["steps", 0]);
  });
});

describe("options without effect are warnings", () => {
  it("of Conductor's other providers, and unknown keys that Conductor ignores", () => {
    const { findings } = load(
      "workflow:\n  name: t\n  entry_point: a\n  metadata: { anything: 1 }\n  runtime:\n    temprature: 1\n    plugins: [x]\n    provider: { name: openai, egress: on }\n  input: { x: { type: string, pattern: y } }\nagents:\n  - { name: a, sandbox: {}, context_tier: long, plugins: [] }\n",
    );
    expect(findings.map((one) => [one.rule, one.severity, one.location.line])).toEqual([
      ["unsupported-option", "warning", 6],
      ["unsupported-option", "warning", 7],
      ["unsupported-option", "warning", 8],
      ["unsupported-option", "warning", 9],
      ["unsupported-option", "warning", 11],
      ["unsupported-option", "warning", 11],
    ]);
    expect(findings[0]?.suggestions).toEqual(["temperature"]);
  });

  it("a skill that cannot be found", () => {
    const files = {
      "main.yaml": step("skills: [here, ./there, nowhere]"),
      "skills/here/SKILL.md": "",
      "there/SKILL.md": "",
    };
    expect(load(files).findings).toMatchObject([
      { rule: "missing-skill", severity: "warning", message: expect.stringContaining("nowhere") },
    ]);
  });
});

describe("sub-workflows", () => {
  const child =
    "workflow: { name: c, entry_point: a }\nagents: [{ name: a, type: workflow, workflow: ../main.yaml, nope: 1 }]\n";

  it("are loaded once, and a cycle points at the same object", () => {
    const { workflow, findings } = load({
      "main.yaml": `${head}agents:\n  - { name: a, type: workflow, workflow: sub/c.yaml }\n  - { name: b, type: workflow, workflow: ./sub/c.yaml }\n`,
      "sub/c.yaml": child,
    });
    expect(findings).toMatchObject([{ rule: "unknown-key", location: { file: "/w/sub/c.yaml", line: 2 }, via: ["a"] }]);
    const loaded = workflow?.children.get("sub/c.yaml");
    expect(loaded).toBe(workflow?.children.get("./sub/c.yaml"));
    expect(loaded?.children.get("../main.yaml")).toBe(workflow);
    expect([...familySources(workflow!).keys()]).toContain("/w/sub/c.yaml");
    expect(workflow?.sources.has("/w/sub/c.yaml")).toBe(false);
  });

  it.each([
    ["a file that is not there", "nope.yaml", "missing-file", /\/w\/nope.yaml/],
    ["a registry", "review@acme/flows#main", "unsupported-option", /registry/],
    ["a template", "'{{ x }}.yaml'", "wrong-type", /fixed path/],
  ])("%s is a finding at the step", (_what, path, rule, message) => {
    const { findings } = load(step(`type: workflow, workflow: ${path}`));
    expect(findings).toMatchObject([
      {
        rule,
        severity: "error",
        node: "a",
        location: { line: 3, column: 42 },
        message: expect.stringMatching(message),
      },
    ]);
  });

  it("a file that is no workflow is a finding at the step, which quotes nothing of it", () => {
    const { findings, sources } = load({
      "main.yaml": step("type: workflow, workflow: ../etc/keys"),
      "../etc/keys": "root:hunter2:0\noops: [\n",
    });
    expect(findings).toMatchObject([{ rule: "wrong-type", location: { file: "/w/main.yaml", line: 3, column: 42 } }]);
    expect(JSON.stringify([findings, [...sources]])).not.toContain("hunter2");
  });
});

it("takes step types beside its own", () => {
  const world = memoryWorld({ "main.yaml": step("type: mail, whom: x") });
  const mail = z.strictObject({ type: z.literal("mail"), name: z.string(), whom: z.string() });
  const stepTypes = { mail: { schema: () => mail, description: "sends a mail" } };
  expect(loadWorkflow("/w/main.yaml", world).findings).toHaveLength(1);
  expect(loadWorkflow("/w/main.yaml", world, { stepTypes })).toMatchObject({
    findings: [],
    workflow: { definition: { agents: [{ type: "mail", whom: "x" }] } },
  });
});

it("files that take each other in twice, 26 deep, are counted like aliases and refused", () => {
  const level = (index: number): string =>
    index < 26 ? `a: !file l${index + 1}.yaml\nb: !file l${index + 1}.yaml\n` : "x: 1\n";
  const files = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`l${index + 1}.yaml`, level(index + 1)]));
  const { findings } = load({
    "main.yaml": `${head}agents: [{ name: a, type: set, value: 1 }]\noutput: !file l1.yaml\n`,
    ...files,
  });
  expect(errors(findings)).toHaveLength(1);
  expect(findings[0]?.message).toContain("more than 200000 values");
});
