// What a tool refuses, or could not do: every refusal says what to do next, names files as everywhere, and stays short.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connected, connect, newFolder, startHttp } from "./client.ts";

let segno: Connected;
beforeAll(async () => {
  segno = await connect("stdio", { isInside: true, args: ["--allow-gate-answers"] });
});
afterAll(() => segno.close());

const BAD = `
workflow: { name: bad, entry_point: first }
agents:
  - { name: first, type: set, value: "1", routes: [{ to: secnd }] }
  - { name: second, type: sett, value: "1" }
  - { name: third, type: set, valu: "1" }
`;
const GOOD = `
workflow: { name: good, entry_point: first }
agents:
  - { name: first, type: set, value: "1" }
`;
const GATE = `
workflow: { name: ask, entry_point: may_we }
agents:
  - name: may_we
    type: human_gate
    prompt: Ship it?
    options: [{ label: Yes, value: ship, route: $end }, { label: No, value: wait, route: $end }]
`;
const INPUTS = `
workflow: { name: adds, entry_point: a, input: { one: { type: array }, two: { type: object } } }
agents:
  - { name: a, type: set, value: "1" }
`;
const LOSES = `
workflow: { name: loses, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } } }
for_each:
  - name: all
    type: for_each
    source: "{{ [0, 3] }}"
    as: item
    failure_mode: continue_on_error
    agent: { name: one, type: script, command: sh, args: ["-c", "exit {{ item }}"], raises: [io.gone] }
`;
const RECOVERS = `
workflow: { name: recovers, entry_point: a }
agents:
  - { name: a, type: script, command: no-such-command, routes: [{ to: $end }, { on_error: "*", to: b }] }
  - { name: b, type: human_gate, prompt: Go?, options: [{ label: Yes, value: go, route: $end }] }
`;
const TOUCH = `
workflow: { name: touches, entry_point: a }
agents:
  - { name: a, type: script, command: touch, args: [RAN] }
`;
const SCENARIO = `
workflow: good.yaml
expect: { status: failed }
`;

describe("a hint is given for", () => {
  it("a tool that there is not, with the nearest name", async () => {
    const { object, text, isError } = await segno.call("workflow_ruin");
    expect(isError).toBe(true);
    expect(object.errors[0].suggestions).toContain("workflow_run");
    expect(object.errors[0].hint).toBe("tools/list lists the tools.");
    expect(text).toContain("Did you mean `workflow_run`");
  });

  it.each([
    [
      "workflow_run",
      { fil: "a.yaml" },
      "workflow_run takes `file` (needed), `inputs`, `name`, `wait_seconds`, `detach`.",
    ],
    ["workflow_list", { all: true }, "workflow_list takes no arguments."],
    ["run_status", { run_id: "01NOSUCH" }, "`run_list` lists those that are there."],
    ["run_events", { run_id: "01NOSUCH" }, "`run_list` lists those that are there."],
    ["run_resume", { run_id: "01NOSUCH" }, "`run_list` lists those that are there."],
    ["dlq_list", { letter_id: "01NOSUCH" }, "`dlq_list` shows those that are kept."],
    ["dlq_retry", { letter_id: "01NOSUCH" }, "`dlq_list` shows those that are kept."],
    [
      "schema_get",
      { of: "result", type: "script" },
      'Call schema_get with {"of":"result"}, or with {"type":"script"}.',
    ],
  ])("%s %j", async (tool, given, hint) => {
    const { object, text, isError } = await segno.call(tool, given);
    expect(isError).toBe(true);
    expect(object.errors[0].hint).toBe(hint);
    expect(text).toContain(hint);
  });

  it("an answer that is no option", async () => {
    segno.write("gate.yaml", GATE);
    const { run_id } = (await segno.call("workflow_run", { file: "gate.yaml" })).object;
    const { object } = await segno.call("gate_answer", { run_id, value: "shop" });
    expect(object.errors[0]).toMatchObject({
      suggestions: ["ship"],
      hint: "`gate_list` shows what waits, and what can be answered.",
    });
  });
});

describe("what failed has an entry in errors", () => {
  it("when scenarios fail", async () => {
    segno.write("good.yaml", GOOD);
    segno.write("good.scenario.yaml", SCENARIO);
    const { object } = await segno.call("workflow_test", { path: "good.scenario.yaml" });
    expect(object).toMatchObject({
      success: false,
      errors: [{ message: "1 of 1 scenarios failed", hint: "What failed is in `scenarios`." }],
    });
  });

  it("when a scenario would run something for real", async () => {
    segno.write("touch.yaml", TOUCH);
    segno.write("listed.scenario.yaml", "workflow: touch.yaml\nlive: [a]\n");
    segno.write("unscripted.scenario.yaml", "workflow: touch.yaml\n");
    const listed = await segno.call("workflow_test", { path: "listed.scenario.yaml" });
    expect(listed.text).toMatch(/A person can play it in a terminal: (?:npx )?segno test listed\.scenario\.yaml/);
    const unscripted = await segno.call("workflow_test", { path: "unscripted.scenario.yaml" });
    expect([listed.object.failed, unscripted.object.failed]).toEqual([1, 1]);
    expect(existsSync(join(segno.folder, "RAN"))).toBe(false);
  });

  it("when a letter could not be resolved", async () => {
    segno.write("loses.yaml", LOSES);
    await segno.call("workflow_run", { file: "loses.yaml" });
    const [letter] = (await segno.call("dlq_list")).object.letters;
    const { object } = await segno.call("dlq_retry", { letter_id: letter.id });
    expect(object.success).toBe(false);
    expect(object.errors).toEqual([
      expect.objectContaining({
        message: "1 of 1 letter could not be resolved",
        hint: expect.stringContaining("`letters`"),
      }),
    ]);
  });
});

describe("a file with several findings", () => {
  it("is refused with all of them in the text, by every tool, and named from the root", async () => {
    segno.write("bad.yaml", BAD);
    segno.write("bad.eval.yaml", "workflow: good.yaml\nrows: 3\ngrad: 4\n");
    const validated = await segno.call("workflow_validate", { file: "bad.yaml" });
    const findings = validated.text.split("\n").filter((line) => line.startsWith("bad.yaml:"));
    expect(findings.length).toBeGreaterThan(1);
    segno.write("divides.yaml", GOOD.replace('"1"', '"{{ 1 / 0 }}"'));
    const { run_id } = (await segno.call("workflow_run", { file: "divides.yaml" })).object;
    for (const [tool, given] of [
      ["workflow_run", { file: "bad.yaml" }],
      ["run_resume", { run_id, file: "bad.yaml" }],
      ["workflow_backtest", { file: "bad.yaml" }],
    ] as const) {
      const { text, object } = await segno.call(tool, given);
      expect(
        text.split("\n").filter((line) => line.startsWith("bad.yaml:")),
        tool,
      ).toEqual(findings);
      expect(object.file, tool).toBe("bad.yaml");
    }
    const evaluated = await segno.call("workflow_eval", { file: "bad.eval.yaml" });
    expect(evaluated.object.file).toBe("bad.eval.yaml");
    for (const { message } of evaluated.object.errors) expect(evaluated.text).toContain(message);
  });

  it("and so are inputs that do not fit", async () => {
    segno.write("inputs.yaml", INPUTS);
    const { text, object } = await segno.call("workflow_run", { file: "inputs.yaml" });
    expect(object.errors).toHaveLength(2);
    for (const { message, hint } of object.errors) {
      expect(text).toContain(message);
      expect(text).toContain(hint);
    }
  });

  it("and so is an input that there is not, whatever its name", async () => {
    segno.write("good.yaml", GOOD.replace("entry_point", "input: {}, entry_point"));
    const inputs = JSON.parse('{"__proto__": {"a": 1}}');
    const { text } = await segno.call("workflow_run", { file: "good.yaml", inputs });
    expect(text).toContain("there is no input __proto__; the workflow takes none");
  });
});

it("a run that was cancelled has the places that run_status gives", async () => {
  segno.write("recovers.yaml", RECOVERS);
  const { run_id } = (await segno.call("workflow_run", { file: "recovers.yaml" })).object;
  const cancelled = (await segno.call("run_cancel", { run_id })).object;
  const shown = (await segno.call("run_status", { run_id })).object;
  expect(shown.warnings[0].location).toMatchObject({ file: "recovers.yaml", line: 4 });
  expect(cancelled.errors).toEqual(shown.errors);
  expect(cancelled.warnings).toEqual(shown.warnings);
});

it("what is given is not sent back at any length", async () => {
  const long = "x".repeat(100_000);
  for (const [tool, given] of [
    ["run_status", { run_id: long }],
    ["run_resume", { run_id: long }],
    ["dlq_list", { letter_id: long }],
    ["workflow_run", { file: `${long}.yaml` }],
    ["workflow_run", { file: "good.yaml", [long]: 1 }],
    [long, {}],
  ] as const) {
    const { text, object, isError } = await segno.call(tool, given);
    expect(isError).toBe(true);
    expect(text.length + JSON.stringify(object).length, tool.slice(0, 20)).toBeLessThan(10_000);
    expect(object.error).toMatch(/x … \(\d+ characters\)/);
  }
});

it("a store that cannot be used is not a defect, whichever tool finds it so", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "taken"), "");
  const without = await connect("stdio", { folder, env: { SEGNO_HOME: join(folder, "taken") } });
  try {
    for (const [tool, given] of [
      ["gate_list", {}],
      ["run_status", { run_id: "01NOSUCHRUN" }],
    ] as const) {
      const { text, object } = await without.call(tool, given);
      expect(text, tool).not.toContain("Segno itself failed");
      expect(object.errors, tool).toMatchObject([{ error_type: "StoreError", owner: "environment" }]);
    }
  } finally {
    await without.close();
  }
});

// The clients send only what is right, so here messages are written by hand.

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "by-hand", version: "1" } },
};
const WRONG_CALL = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "run_list", arguments: "all" } };
const NO_MESSAGES = [
  { jsonrpc: "2.0", id: 125, method: "tools/call", params: null },
  { jsonrpc: "1.0", id: 99, method: "ping" },
  { id: "98" },
  { jsonrpc: "2.0", id: {}, method: "ping" },
  { jsonrpc: "2.0", id: 97, result: null },
  [],
  null,
];
const PLAIN = "tools/call cannot be asked like this: `arguments` must be an object, but it is text";

describe("a message that is not right", () => {
  it("is answered over stdio, and the next one as well", async () => {
    const env = { PATH: process.env.PATH ?? "", HOME: segno.folder, SEGNO_HOME: segno.home };
    const child = spawn(process.execPath, [resolve("dist/main.js"), "mcp"], { cwd: segno.folder, env });
    const lines = [INITIALIZE, WRONG_CALL, ...NO_MESSAGES].map((message) => JSON.stringify(message));
    lines.splice(1, 0, "", "{ no json");
    child.stdin.end(`${lines.join("\n")}\n${JSON.stringify({ jsonrpc: "2.0", id: 3, method: "ping" })}\n`);
    let printed = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) printed += chunk;
    const answers = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.filter(({ error }) => error?.code === -32700)).toMatchObject([{ jsonrpc: "2.0", id: null }]);
    expect(answers.filter(({ error }) => error?.code === -32600)).toMatchObject(
      [125, 99, "98", null, null, null, null].map((id) => ({ jsonrpc: "2.0", id })),
    );
    expect(answers.find(({ id }) => id === 2).error).toEqual({ code: -32602, message: PLAIN });
    expect(answers.find(({ id }) => id === 3).result).toEqual({});
  });

  it("is answered over HTTP", async () => {
    const folder = join(segno.folder, "http");
    mkdirSync(folder);
    const server = await startHttp([], folder, { PATH: process.env.PATH ?? "", HOME: folder, SEGNO_HOME: segno.home });
    const post = (body: object, more: Record<string, string> = {}) =>
      fetch(server.url, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${server.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...more,
        },
      });
    try {
      const begun = await post(INITIALIZE);
      await begun.text();
      const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
      expect(await (await post(WRONG_CALL, session)).text()).toContain(JSON.stringify(PLAIN).slice(1, -1));
    } finally {
      await server.end();
    }
  });
});
