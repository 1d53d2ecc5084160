// The language server by its own protocol: what an author sees and can do, on text that is not saved.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import * as lsp from "vscode-languageserver/node";
import { ENVELOPE_FIELDS, KINDS } from "../../../base/errors/index.ts";
import { RULES } from "../../../language/rules/index.ts";
import { STEP_TYPES } from "../../../language/schema/index.ts";
import { shapeOf } from "../../../language/schema-at.ts";
import { validateFiles } from "../../../services/workflows/validate.ts";
import { filterSignatures } from "../../../template/filters/filters.ts";
import { Client, edited, MARK, positionAt } from "./client.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let client: Client;
afterEach(() => client?.end());

const RELEASE = `workflow:
  name: release
  entry_point: build
  input:
    version: { type: string }
agents:
  # makes it
  - name: build
    type: script
    command: make
    args: ["{{ workflow.input.version }}"]
    raises: [build.broken]
    routes:
      - { on_error: build.broken, to: tell }
      - to: publish
  - name: publish
    type: workflow
    workflow: ./child.yaml
    input_mapping: { tag: "{{ build.output.tag }}" }
  - { name: tell, type: terminate, status: failed, reason: "{{ error.message }}" }
output:
  tag: "{% if build is defined %}{{ build.output.tag }}{% endif %}"
`;
const CHILD = `workflow:
  name: child
  entry_point: push
  input:
    tag: { type: string, required: true }
agents:
  - { name: push, type: set, value: "{{ workflow.input.tag }}" }
`;
const SCENARIO = `workflow: ../release.yaml
inputs: { version: 1.0.0 }
cli_scripts:
  - { step: build, stdout: { tag: v1, digest: abc } }
expected_trace: { agents_executed: [build, publish, push], routes_taken: [build -> publish] }
`;
const FILES = { "release.yaml": RELEASE, "child.yaml": CHILD, "tests/ok.scenario.yaml": SCENARIO };

/** A few examples of rules are parts of a step. */
const isWhole = (example: string): boolean => !/^workflow: *[^\s{]/m.test(example);

describe("diagnostics", () => {
  const examples = RULES.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const]));

  it("are those of validate, for whole files and for a broken one of every rule", async () => {
    client = await Client.start(FILES);
    const whole = readdirSync("examples")
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => [name, readFileSync(join("examples", name), "utf8")] as const);
    const broken = examples
      .filter(([, example]) => isWhole(example))
      .map(
        ([name, example]) =>
          [
            `${name}.yaml`,
            /^workflow:/m.test(example) ? example : `workflow: { name: x, entry_point: a }\n${example}\n`,
          ] as const,
      );
    const syntax = [
      ["open.yaml", "workflow:\n  name: [x\nagents: []\n"],
      ["tab.yaml", "workflow:\n\tname: x\n"],
    ] as const;
    for (const [name, text] of [...whole, ...broken, ...syntax]) {
      client.write(name, text);
      await client.open(name, text);
      const found = (await client.found(name)).map(({ code, range, severity, message }) => [
        code,
        range.start.line + 1,
        range.start.character + 1,
        { line: range.end.line + 1, column: range.end.character + 1 },
        severity,
        message,
      ]);
      const { errors, warnings } = validateFiles({ cwd: client.folder, env: {} }, { files: [name] });
      const said = [...errors.map((one) => [one, 1] as const), ...warnings.map((one) => [one, 2] as const)]
        .filter(([{ location }]) => location?.file === name)
        .map(([{ rule, location, message }, severity]) => [
          ...[rule, location?.line, location?.column, location?.end, severity, message],
        ]);
      expect(new Set(found.map((one) => JSON.stringify(one))), name).toEqual(
        new Set(said.map((one) => JSON.stringify(one))),
      );
      await client.close(name);
    }
  });

  it("have an end, a page, and follow the text that is not saved", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    expect(await client.found("release.yaml")).toEqual([]);
    const text = RELEASE.replace("- to: publish", "- to: publsh");
    await client.type("release.yaml", text);
    const found = (await client.found("release.yaml")).find(({ code }) => code === "unknown-step");
    expect(found?.range).toEqual({
      start: positionAt(text, text.indexOf("publsh")),
      end: positionAt(text, text.indexOf("publsh") + 6),
    });
    expect(found?.codeDescription?.href).toMatch(/reference\.md#unknown-step$/);
    expect(client.versions.get(client.uri("release.yaml"))).toBe(2);
  });

  it("show an edit of a child in its callers, open or not", async () => {
    client = await Client.start(FILES);
    await client.open("child.yaml", CHILD);
    await client.found("child.yaml");
    await client.type("child.yaml", CHILD.replace("    tag:", "    label: { type: string, required: true }\n    tag:"));
    expect((await client.found("release.yaml")).map(({ code }) => code)).toContain("subworkflow-input");
    await client.type("child.yaml", CHILD);
    expect(await client.found("release.yaml")).toEqual([]);
  });

  it("show an edit of a child in a caller that is not saved either", async () => {
    client = await Client.start(FILES);
    const caller = `workflow: { name: new, entry_point: a }
agents: [{ name: a, type: workflow, workflow: ./child.yaml, input_mapping: { tag: x } }]
`;
    await client.open("new.yaml", caller);
    await client.open("child.yaml", CHILD);
    expect(await client.found("new.yaml")).toEqual([]);
    await client.type("child.yaml", CHILD.replaceAll("tag", "label"));
    expect((await client.found("new.yaml")).map(({ code }) => code)).toContain("subworkflow-input");
    expect((await client.found("release.yaml")).map(({ code }) => code)).toContain("subworkflow-input");
    await client.close("child.yaml");
    expect(await client.found("new.yaml")).toEqual([]);
  });

  it("of scenarios and projects as well", async () => {
    client = await Client.start(FILES);
    await client.open("tests/ok.scenario.yaml", SCENARIO.replace("step: build", "step: biuld"));
    expect((await client.found("tests/ok.scenario.yaml")).map(({ message }) => message).join()).toMatch(
      /biuld.*did you mean build/,
    );
    await client.open("segno.yaml", "workfows: []\n");
    expect((await client.found("segno.yaml")).map(({ code }) => code)).toContain("unknown-key");
  });

  it("are silent about 10 MB of somebody else's YAML", async () => {
    client = await Client.start();
    const foreign = `services:\n${"  - { name: web, image: nginx, workflow: x }\n".repeat(230_000)}`;
    expect(foreign.length).toBeGreaterThan(10_000_000);
    await client.open("compose.yaml", foreign);
    await client.key("compose.yaml", 0, "#");
    await client.open(".gitlab-ci.yml", "workflow:\n  rules: [{ when: always }]\n");
    await client.pass(1000);
    expect(client.sent).toBe(0);
    const textDocument = { uri: client.uri("compose.yaml") };
    const params = { textDocument, position: { line: 1, character: 6 } };
    const range = { start: params.position, end: params.position };
    const options = { tabSize: 2, insertSpaces: true };
    const asked = await Promise.all([
      client.connection.sendRequest(lsp.HoverRequest.type, params),
      client.connection.sendRequest(lsp.DefinitionRequest.type, params),
      client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument }),
      client.connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument }),
      client.connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument }),
      client.connection.sendRequest(lsp.DocumentFormattingRequest.type, { textDocument, options }),
      client.actions("compose.yaml", range),
    ]);
    expect(asked.filter((answer) => answer !== null && !(Array.isArray(answer) && answer.length === 0))).toEqual([]);
    await client.close("compose.yaml");
    await client.pass(150);
    expect(client.sent).toBe(0);
    expect(client.logged).toEqual([]);
    expect(await client.labels("other.yaml", `a:\n  ${MARK}`)).toEqual([]);
  });
});

it("says of a file with very many templates that it is too large, and of what calls it, and answers at once", async () => {
  client = await Client.start(FILES);
  const texts = Array.from({ length: 10_000 }, (_, index) => `      {{ workflow.input.x${index} }}\n`).join("");
  await client.open(
    "many.yaml",
    `workflow: { name: many, entry_point: a }\nsteps:\n  - name: a\n    type: set\n    value: |\n${texts}`,
  );
  const said = /10000 templates, and an editor checks up to 4000.*too large.*segno validate/;
  expect((await client.found("many.yaml")).map(({ message }) => message)).toEqual([expect.stringMatching(said)]);
  const textDocument = { uri: client.uri("many.yaml") };
  expect(await client.connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument })).toEqual([]);
  await client.open(
    "calls.yaml",
    "workflow: { name: calls, entry_point: a }\nsteps:\n  - { name: a, type: workflow, workflow: ./many.yaml }\n",
  );
  expect((await client.found("calls.yaml")).map(({ message }) => message).join()).toMatch(said);
});

describe("a thousand keys in a row", () => {
  it("lose no answer: each is of the text that was there when it was asked for", async () => {
    client = await Client.start(FILES);
    const steps = Array.from(
      { length: 75 },
      (_, index) =>
        `  - { name: s${index}, type: set, value: ${index}, routes: [{ to: ${index === 74 ? "$end" : `s${index + 1}`} }] }\n`,
    );
    const text = `workflow: { name: large, entry_point: s0 }\nagents:\n${steps.join("")}  - { name: last, type: set, value: 1 }\n`;
    await client.open("large.yaml", text);
    const answers: Promise<readonly [number, lsp.DocumentSymbol[]]>[] = [];
    const textDocument = { uri: client.uri("large.yaml") };
    for (let count = 1; count <= 1000; count++) {
      void client.key("large.yaml", text.indexOf("last") + 4, "x");
      if (count % 25 !== 0) continue;
      const asked = client.connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument });
      answers.push(asked.then((outline) => [count, outline as lsp.DocumentSymbol[]]));
    }
    for (const [count, outline] of await Promise.all(answers))
      expect(outline.at(-1)?.name).toBe(`last${"x".repeat(count)}`);
    const found = await client.found("large.yaml");
    expect(client.versions.get(textDocument.uri)).toBe(1001);
    const last = found.find(({ code }) => code === "unreachable-step");
    expect(last?.message).toContain(`\`last${"x".repeat(1000)}\``);
    expect(client.logged).toEqual([]);
  });

  it.each([5, 30, 60])("every %i ms are never followed later than 150 ms by findings", async (pause) => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    const typed: number[] = [0, 0];
    for (let count = 1; count <= 100; count++) {
      await client.key("release.yaml", RELEASE.length, count === 1 ? "#" : "x");
      await client.arrived();
      typed.push(client.now);
      await client.pass(pause);
    }
    await client.pass(150);
    const own = client.times.filter(({ version }) => version !== undefined);
    expect(own.at(-1)?.version).toBe(101);
    expect((own.at(-1)?.at ?? 0) - (typed.at(-1) ?? 0)).toBeLessThanOrEqual(150);
    // Also while the typing goes on: what is shown is never of a text that was left more than 150 ms ago.
    for (const [index, { version = 0 }] of own.entries())
      expect((own[index + 1]?.at ?? 0) - (typed[version + 1] ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(150);
  });

  it("keep memory flat over half an hour of typing, with all that an editor asks in between", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    await client.open("child.yaml", CHILD);
    const textDocument = { uri: client.uri("release.yaml") };
    const used = async (): Promise<number> => {
      await client.found("release.yaml");
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const type = async (minutes: number): Promise<void> => {
      for (let second = 0; second < minutes * 60; second += 10) {
        await client.type("release.yaml", RELEASE.replace("make", `make${client.now}`));
        await client.pass(10_000);
        await client.connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument });
        if (second % 60 > 0) continue;
        await client.type("child.yaml", CHILD.replace("value:", `description: at ${client.now}, value:`));
        await client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
      }
    };
    await type(5);
    const early = await used();
    await type(25);
    expect(await used()).toBeLessThan(early + 4 * 1024 * 1024);
    expect(client.logged).toEqual([]);
  });
});

describe("completion", () => {
  const WRITTEN = ["name", "type", "command", "args", "raises", "routes"];
  const marked = (from: string, to: string): string => RELEASE.replace(from, to);

  it.each([
    ["steps after to", "- to: publish", `- to: ${MARK}`, ["build", "publish", "tell", "$end"]],
    [
      "kinds after on_error, those that can come here first",
      "on_error: build.broken,",
      `on_error: ${MARK},`,
      ["build.broken", "true", "subworkflow.terminated", ...KINDS.keys()],
    ],
    [
      "fields of a step by its type",
      "    command: make\n",
      `    command: make\n    ${MARK}\n`,
      Object.keys(shapeOf(STEP_TYPES.script.schema()) ?? {}).filter((field) => !WRITTEN.includes(field)),
    ],
    ["types of steps", "type: script", `type: ${MARK}`, Object.keys(STEP_TYPES)],
    ["names in braces", "{{ workflow.input.version }}", `{{ ${MARK} }}`, ["workflow", "context"]],
    ["inputs", "{{ workflow.input.version }}", `{{ workflow.input.${MARK} }}`, ["version"]],
    [
      "fields that a scenario knows",
      '{{ build.output.tag }}" }',
      `{{ build.output.${MARK} }}" }`,
      ["tag", "digest", "stdout", "stderr", "exit_code"],
    ],
    ["fields of the error", "{{ error.message }}", `{{ error.${MARK} }}`, [...ENVELOPE_FIELDS]],
    ["filters", "{{ error.message }}", `{{ error.message | ${MARK} }}`, [...filterSignatures().keys()]],
    ["inputs of the sub-workflow", '{ tag: "{{ build.output.tag }}" }', `{ ${MARK} }`, ["tag"]],
    ["files after workflow", "workflow: ./child.yaml", `workflow: ${MARK}`, ["./child.yaml"]],
    ["members of the top", "output:\n", `${MARK}\noutput:\n`, ["parallel", "for_each", "tools"]],
    [
      "the list of steps",
      RELEASE.slice(RELEASE.indexOf("agents:")),
      MARK,
      ["steps", "parallel", "for_each", "tools", "output"],
    ],
    ["a kind that a route names, to declare it", "raises: [build.broken]", `raises: [${MARK}]`, ["build.broken"]],
  ])("offers %s and nothing foreign", async (_, from, to, wanted) => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    const labels = await client.labels("release.yaml", marked(from, to));
    expect([...labels].sort()).toEqual([...new Set(wanted)].sort());
  });

  it("offers steps and inputs in a scenario", async () => {
    client = await Client.start(FILES);
    expect(await client.labels("tests/ok.scenario.yaml", SCENARIO.replace("step: build", `step: ${MARK}`))).toEqual(
      expect.arrayContaining(["build", "publish"]),
    );
    expect(
      await client.labels("tests/ok.scenario.yaml", SCENARIO.replace("{ version: 1.0.0 }", `{ ${MARK} }`)),
    ).toEqual(["version"]);
  });
});

describe("hover", () => {
  it("says what a step may raise and who handles it, what a field means, and who raises a kind", async () => {
    client = await Client.start(FILES);
    expect(await client.hover("release.yaml", RELEASE.replace("- name: build", `- name: bu${MARK}ild`))).toMatch(
      /`build\.broken` \| → `tell` \(line 14\)/,
    );
    expect(await client.hover("release.yaml", RELEASE.replace("    command:", `    com${MARK}mand:`))).toMatch(
      /\*\*command\*\* — .+It must be/,
    );
    expect(await client.hover("release.yaml", RELEASE.replace("on_error: build", `on_error: bu${MARK}ild`))).toMatch(
      /Raised by `build` \(line 8\)/,
    );
  });
});

describe("rename", () => {
  const renamed = async (name: string, marked: string, newName: string): Promise<Readonly<Record<string, string>>> => {
    const params = await client.at(name, marked);
    const { changes = {} } =
      (await client.connection.sendRequest(lsp.RenameRequest.type, { ...params, newName })) ?? {};
    const files = Object.fromEntries(
      Object.entries(FILES).map(([file, text]) => [file, edited(text, changes[client.uri(file)] ?? [])]),
    );
    for (const [file, text] of Object.entries(files)) client.write(file, text);
    const { errors } = validateFiles({ cwd: client.folder, env: {} }, { files: ["release.yaml", "child.yaml"] });
    expect(errors).toEqual([]);
    return files;
  };

  it("changes a step in routes, templates and scenarios, and leaves every file valid", async () => {
    client = await Client.start(FILES);
    const files = await renamed("release.yaml", RELEASE.replace("- name: build", `- name: bu${MARK}ild`), "compile");
    expect(files["release.yaml"]).not.toMatch(/\bbuild(?!\.broken)\b/);
    expect(files["tests/ok.scenario.yaml"]).toContain("step: compile");
    expect(files["tests/ok.scenario.yaml"]).toContain(
      "agents_executed: [compile, publish, push], routes_taken: [compile -> publish]",
    );
  });

  it("changes an input of a sub-workflow with the mappings of its callers", async () => {
    client = await Client.start(FILES);
    const files = await renamed("child.yaml", CHILD.replace("    tag:", `    ta${MARK}g:`), "label");
    expect(files["child.yaml"]).toContain("{{ workflow.input.label }}");
    expect(files["release.yaml"]).toContain("input_mapping: { label:");
    expect(files["release.yaml"]).toContain("build.output.tag");
  });

  it("changes a kind, and refuses names that are taken or no names", async () => {
    client = await Client.start(FILES);
    const files = await renamed(
      "release.yaml",
      RELEASE.replace("raises: [build", `raises: [bu${MARK}ild`),
      "build.failed",
    );
    expect(files["release.yaml"]).toContain("on_error: build.failed");
    const params = await client.at("release.yaml", RELEASE.replace("- name: build", `- name: bu${MARK}ild`));
    for (const newName of ["tell", "two words", "workflow"])
      await expect(client.connection.sendRequest(lsp.RenameRequest.type, { ...params, newName })).rejects.toThrow();
  });

  it("finds definitions and references over files", async () => {
    client = await Client.start(FILES);
    const params = await client.at("release.yaml", RELEASE.replace("- to: publish", `- to: pub${MARK}lish`));
    const [definition] = (await client.connection.sendRequest(lsp.DefinitionRequest.type, params)) as lsp.Location[];
    expect(definition?.range.start).toEqual(positionAt(RELEASE, RELEASE.indexOf("name: publish") + 6));
    const references = await client.connection.sendRequest(lsp.ReferencesRequest.type, {
      ...params,
      context: { includeDeclaration: false },
    });
    expect(references?.map(({ uri }) => uri.split("/").at(-1)).sort()).toEqual([
      "ok.scenario.yaml",
      "ok.scenario.yaml",
      "release.yaml",
    ]);
  });
});

describe("quick fixes", () => {
  const head = "workflow: { name: x, entry_point: a, input: { topic: { type: string } } }\n";
  const step = (fields: string, more = ""): string =>
    `${head}agents:\n  - name: a\n    ${fields.replaceAll("\n", "\n    ")}\n${more}`;

  it.each([
    ["unknown-step", step("type: set\nvalue: 1\nroutes:\n  - to: enn", "  - { name: end, type: set, value: 1 }\n")],
    ["unknown-key", step("type: set\nvalu: 1")],
    ["wrong-type", step("type: scrip\ncommand: ls")],
    ["unknown-name", step('type: set\nvalue: "{{ topic }}"')],
    ["unknown-reference", step('type: set\nvalue: "{{ workflow.input.topc }}"')],
    ["no-success-route", step("type: script\ncommand: ls\nroutes:\n  - { on_error: true, retry: 2 }")],
    ["error-unhandled", step("type: script\ncommand: ls\nraises: [a.b]")],
    ["command-is-a-shell-line", step("type: script\ncommand: ls | wc -l")],
    ["error-kind-reserved", step("type: script\ncommand: ls\nraises: [internal.mine]")],
    [
      "gate-timeout",
      step(
        "type: human_gate\nprompt: p\ntimeout: 1h\non_timeout: ye\noptions: [{ value: yes1, route: $end }, { value: yep, route: $end }]",
      ),
    ],
    ["on-error-empty", step("type: script\ncommand: ls\nroutes:\n  - on_error:\n    to: $end")],
    ["null-in-template", step('type: set\nvalue: "{{ workflow.input.topic == null }}"')],
    [
      "read-before-run",
      step('type: set\nvalue: "{{ b.output }}"\nroutes: [{ to: b }]', "  - { name: b, type: set, value: 1 }\n"),
    ],
    ["foreign-step", step("run: ls")],
    ["gate-routes", step("type: human_gate\nprompt: p\noptions:\n  - value: one\n  - { value: two, route: $end }")],
  ])("make %s go away", async (rule, text) => {
    client = await Client.start();
    await client.open("x.yaml", text);
    const found = (await client.found("x.yaml")).find(({ code }) => code === rule);
    expect(found?.code).toBe(rule);
    const range = found?.range ?? { start: positionAt(text, 0), end: positionAt(text, 0) };
    const fixes = (await client.actions("x.yaml", range)).filter(({ diagnostics }) =>
      diagnostics?.some(({ code }) => code === rule),
    );
    const edits = fixes[0]?.edit?.changes?.[client.uri("x.yaml")] ?? [];
    const after = edited(text, edits);
    expect(after).not.toBe(text);
    await client.type("x.yaml", after);
    const codes = (await client.found("x.yaml")).map(({ code }) => code);
    expect(codes, after).not.toContain(rule);
    expect(codes, after).not.toContain("yaml-syntax");
  });

  it("add routes and raise_when, make a scenario, and extract steps", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    await client.found("release.yaml");
    const at = positionAt(RELEASE, RELEASE.indexOf("{ on_error"));
    const actions = await client.actions("release.yaml", { start: at, end: at });
    const titles = actions.map(({ title }) => title);
    expect(titles).toEqual(
      expect.arrayContaining([
        "Add raise_when",
        "Make a scenario for this route",
        "Add a route for internal.command_not_found",
      ]),
    );
    for (const { title, edit } of actions) {
      const edits = edit?.changes?.[client.uri("release.yaml")];
      if (!edits) continue;
      client.write("release.yaml", edited(RELEASE, edits));
      expect(
        validateFiles({ cwd: client.folder, env: {} }, { files: ["release.yaml"] }).errors.map(
          ({ message }) => message,
        ),
        title,
      ).toEqual([]);
    }
    const start = positionAt(RELEASE, RELEASE.indexOf("- name: publish"));
    const extract = (await client.actions("release.yaml", { start, end: { line: start.line + 2, character: 0 } })).find(
      ({ title }) => title.startsWith("Extract"),
    );
    expect(extract?.title).toBe("Extract 1 step to publish-steps.yaml");
  });
});

describe("lenses, outline, folding and formatting", () => {
  it("count kinds and scenarios", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    const lenses = await client.connection.sendRequest(lsp.CodeLensRequest.type, {
      textDocument: { uri: client.uri("release.yaml") },
    });
    const titles = lenses?.map(({ command }) => command?.title) ?? [];
    expect(titles.slice(0, 3)).toEqual(["run", "test", "graph"]);
    expect(titles).toContain("taken by 1 of 1 scenarios");
    expect(titles).toContain("taken by 0 of 1 scenarios");
    expect(titles.some((title) => /^\d kinds?, \d unhandled$/.test(title ?? ""))).toBe(true);
  });

  it("fold and list steps", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", RELEASE);
    const textDocument = { uri: client.uri("release.yaml") };
    const symbols = (await client.connection.sendRequest(lsp.DocumentSymbolRequest.type, {
      textDocument,
    })) as lsp.DocumentSymbol[];
    expect(symbols.map(({ name, detail }) => `${name} ${detail}`)).toEqual([
      "build script",
      "publish workflow",
      "tell terminate",
    ]);
    const folds = await client.connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument });
    expect(folds).toContainEqual({ startLine: 7, endLine: 14 });
  });

  it("format indentation and quotes, and keep comments", async () => {
    client = await Client.start();
    const text =
      "workflow:\n    name: x # the name\n    entry_point: a\nagents:\n# first\n-   name: a\n    type: 'set'\n    value: |\n        one\n          two\n";
    await client.open("x.yaml", text);
    const params = { textDocument: { uri: client.uri("x.yaml") }, options: { tabSize: 2, insertSpaces: true } };
    const edits = (await client.connection.sendRequest(lsp.DocumentFormattingRequest.type, params)) ?? [];
    expect(edited(text, edits)).toBe(
      'workflow:\n  name: x # the name\n  entry_point: a\nagents:\n  # first\n  - name: a\n    type: "set"\n    value: |\n        one\n          two\n',
    );
  });
});
