// What an author meets while typing: half-written lines, misspelt names in scenarios and evals, edits that come in between,
// and what a client with other habits sends.
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import * as lsp from "vscode-languageserver/node";
import { serveConnection } from "../server/index.ts";
import { Client, edited, MARK, positionAt } from "./client.ts";

let client: Client;
afterEach(() => client?.end());

const FLOW = `workflow:
  name: release
  entry_point: build
  input: { version: { type: string, secret: true }, note: { type: string, required: false } }
agents:
  - name: build
    type: script
    command: make
    args: ["{{ workflow.input.version }}"]
    routes:
      - { on_error: true, to: tell }
      - to: review
  - name: review
    type: agent
    prompt: "Review {{ build.output.stdout }} {{ workflow.input.version }} {{ workflow.input.note }}"
    routes:
      - to: publish
  - name: publish
    type: script
    command: npm
    args: [publish, "{{ review.output }}"]
    raises: []
  - { name: tell, type: set, value: 1 }
`;
const SCENARIO = `workflow: ../release.yaml
cli_scripts:
  - { step: "build", stdout: ok }
set: { review.prompt: short }
until: review
expected_trace: { status: completed, agents_executed: [build] }
`;
const EVAL = `workflow: release.yaml
step: review
dataset: rows.jsonl
variants: [{ name: short, set: { review.prompt: short } }]
grade: [{ trace: [build], mode: subset }]
`;
const FILES = {
  "release.yaml": FLOW,
  "tests/ok.scenario.yaml": SCENARIO,
  "release.eval.yaml": EVAL,
  "rows.jsonl": '{"inputs":{"version":"1"}}\n',
};

describe("completion of a line that is not finished", () => {
  it.each([
    ["a quote that is not closed", '"Review {{ build.output.stdout', `"Review {{ build.output.${MARK}\n#`, "stdout"],
    ["a single quote", '[publish, "{{ review.output }}"]', `['{{ workflow.input.${MARK}`, "version"],
    ["the last line", "  - { name: tell, type: set, value: 1 }\n", `output: { got: "{{ pub${MARK}`, "publish"],
  ])("knows %s", async (_, from, to, wanted) => {
    client = await Client.start(FILES);
    await client.open("release.yaml", FLOW);
    await client.found("release.yaml");
    expect(await client.labels("release.yaml", FLOW.replace(from, to))).toContain(wanted);
  });

  it("offers no step that cannot have run before", async () => {
    client = await Client.start(FILES);
    await client.open("release.yaml", FLOW);
    const labels = await client.labels("release.yaml", FLOW.replace("{{ build.output.stdout }}", `{{ ${MARK} }}`));
    expect(labels).toContain("build");
    expect(labels).not.toContain("tell");
  });

  it.each([
    ["segno.yaml", `pl${MARK}\npeople: {}\n`, "plugins", "people"],
    ["a.yaml", `workflow:\n  na${MARK}\n  entry_point: a\n`, "name", "entry_point"],
    ["a.yaml", `workflow: { name: x }\nagents:\n  - na${MARK}\n    type: set\n`, "name", "type"],
  ])("takes a key above the first one of %s for itself alone", async (name, marked, wanted, written) => {
    client = await Client.start();
    const params = await client.at(name, marked);
    const items = (await client.connection.sendRequest(lsp.CompletionRequest.type, params)) as lsp.CompletionItem[];
    const item = items.find(({ label }) => label === wanted);
    expect(items.map(({ label }) => label)).not.toContain(written);
    const text = edited(marked.replace(MARK, ""), [item?.textEdit as lsp.TextEdit]);
    expect(text).toBe(marked.replace(new RegExp(`\\w*${MARK}`), `${wanted}: `));
  });
});

describe("scenarios and evals", () => {
  it.each([
    ["tests/ok.scenario.yaml", '"build"', '"buidl"'],
    ["tests/ok.scenario.yaml", "review.prompt", "reveiw.prompt"],
    ["tests/ok.scenario.yaml", "until: review", "until: reveiw"],
    ["tests/ok.scenario.yaml", "status: completed", "statsu: completed"],
    ["release.eval.yaml", "step: review", "step: reveiw"],
    ["release.eval.yaml", "review.prompt", "reveiw.prompt"],
    ["release.eval.yaml", "trace: [build]", "trace: [buidl]"],
  ])("in %s the fix of a misspelt name gives %s back", async (name, right, wrong) => {
    client = await Client.start(FILES);
    const whole = FILES[name as keyof typeof FILES];
    const text = whole.replace(right, wrong);
    await client.open(name, text);
    const [found] = await client.found(name);
    // The author's cursor is on the word itself.
    const at = positionAt(text, text.search(/buidl|reveiw|statsu/) + 2);
    const [fix] = await client.actions(name, { start: at, end: at });
    expect(fix?.diagnostics?.[0]?.message).toBe(found?.message);
    expect(edited(text, fix?.edit?.changes?.[client.uri(name)] ?? [])).toBe(whole);
  });

  it.each([
    ["tests/ok.scenario.yaml", "expected_trace", /What must have happened/],
    ["tests/ok.scenario.yaml", "agents_executed", /These steps ran, in this order.+ It must be a list\./],
    ["tests/ok.scenario.yaml", "stdout", /What is printed/],
    ["release.eval.yaml", "grade", /How each row is graded/],
    ["release.eval.yaml", "mode", /With `trace`.+ It must be one of strict/],
  ])("in %s hover says what %s is", async (name, field, wanted) => {
    client = await Client.start(FILES);
    const text = FILES[name as keyof typeof FILES];
    expect(await client.hover(name, text.replace(field, `${field}${MARK}`))).toMatch(wanted);
  });
});

it.each([
  ["agents", "Conductor's rules"],
  ["steps", "Segno's rules"],
])("hover says by whose rules a file with %s is read, and nothing of what it must be", async (list, rules) => {
  client = await Client.start(FILES);
  const shown = await client.hover("release.yaml", FLOW.replace("agents:", `${list}${MARK}:`));
  expect(shown).toContain(rules);
  expect(shown).toContain(`**${list}**`);
  expect(shown).not.toContain("must be");
});

it.each(["agents", "steps"])(
  "a sub-workflow extracted from %s declares the inputs that its steps read",
  async (list) => {
    client = await Client.start(FILES);
    await client.open("release.yaml", FLOW.replace("agents:", `${list}:`));
    await client.found("release.yaml");
    const start = positionAt(FLOW, FLOW.indexOf("- name: review"));
    const actions = await client.actions("release.yaml", { start, end: { line: start.line + 3, character: 0 } });
    const extract = actions.find(({ title }) => title.startsWith("Extract"));
    const [, child] = (extract?.edit?.documentChanges ?? []) as lsp.TextDocumentEdit[];
    const [written] = child?.edits ?? [];
    const { newText } = written as lsp.TextEdit;
    expect(newText).toContain(`\n${list}:\n  - name: review\n`);
    expect(newText).toContain(`  input:
    build_stdout:
      type: string
    version:
      type: string
      secret: true
    note:
      type: string
      required: false
`);
  },
);

describe("clients", () => {
  it("that know versions get them with a rename, and refuse it after another key", async () => {
    const workspace = { workspaceEdit: { documentChanges: true } };
    client = await Client.start(FILES, {}, undefined, workspace);
    await client.open("release.yaml", FLOW);
    const params = await client.at("release.yaml", FLOW.replace("name: review", `name: re${MARK}view`));
    const edit = await client.connection.sendRequest(lsp.RenameRequest.type, { ...params, newName: "check" });
    const documents = ((edit?.documentChanges ?? []) as lsp.TextDocumentEdit[]).map(({ textDocument }) => textDocument);
    expect(documents).toEqual(
      expect.arrayContaining([
        { uri: client.uri("release.yaml"), version: 2 },
        { uri: client.uri("release.eval.yaml"), version: null },
      ]),
    );
  });

  it("are answered with the address that they use for a file", async () => {
    client = await Client.start();
    const uri = client.uri("a.yaml").replace("a.yaml", "%61%28b%29.yaml");
    const textDocument = { uri, languageId: "yaml", version: 1, text: FLOW.replace("to: tell", "to: tel") };
    await client.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
    await client.pass(150);
    expect(client.diagnostics.get(uri)).toMatchObject([{ code: "unknown-step" }]);
  });

  it("that send a request twice or half get a sentence", async () => {
    client = await Client.start();
    const ask = (method: string, params: object) => client.connection.sendRequest(method, params);
    await expect(ask("initialize", { capabilities: {} })).rejects.toThrow("initialized already");
    await expect(ask("textDocument/hover", {})).rejects.toThrow("The request names no document");
  });

  it.each([
    ["Content-Length: abc\r\n\r\n{}", 1],
    ["Nothing: 1\r\n\r\n", 1],
    [`Content-Length: 5\r\n\r\n{nope${message({ jsonrpc: "2.0", method: "exit" })}`, 1],
    [`Content-Length: 2\r\n\r\n{]${message({ jsonrpc: "2.0", id: 1, method: "shutdown" })}`, "goes on"],
  ])("that send %j do not keep the server waiting", async (sent, wanted) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const [reader, writer] = [new lsp.StreamMessageReader(input), new lsp.StreamMessageWriter(output)];
    const connection = lsp.createProtocolConnection(reader, writer);
    const ended = serveConnection(connection, { session: { cwd: ".", env: {} }, version: "0" });
    const answered = once(output, "data").then(() => "goes on");
    input.write(sent);
    expect(await Promise.race([ended, answered])).toBe(wanted);
    connection.dispose();
  });
});

function message(content: object): string {
  const text = JSON.stringify(content);
  return `Content-Length: ${text.length}\r\n\r\n${text}`;
}

it("files that begin with a byte order mark are found, and renamed where the editor sees the name", async () => {
  client = await Client.start({ ...FILES, "tests/ok.scenario.yaml": `\uFEFF${SCENARIO}`, "bom.yaml": `\uFEFF${FLOW}` });
  const params = await client.at("release.yaml", FLOW.replace("name: build", `name: bu${MARK}ild`));
  const edit = await client.connection.sendRequest(lsp.RenameRequest.type, { ...params, newName: "make" });
  expect(edited(SCENARIO, edit?.changes?.[client.uri("tests/ok.scenario.yaml")] ?? [])).toContain('step: "make"');
  await client.open("bom.yaml", `\uFEFF${FLOW.replace("to: tell", "to: tel")}`);
  expect(await client.found("bom.yaml")).toMatchObject([{ code: "unknown-step" }]);
});
