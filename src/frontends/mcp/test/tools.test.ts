// Every tool, over both transports and by clients of both eras, as a coding agent would call it.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { type Connected, type ConnectOptions, connect, type Era, type TransportName } from "./client.ts";

const open: Connected[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function connected(transport: TransportName, options: ConnectOptions): Promise<Connected> {
  const one = await connect(transport, options);
  open.push(one);
  return one;
}

const HELLO = `
workflow:
  name: hello
  entry_point: greet
  input:
    who: { type: string, default: world }
agents:
  - name: greet
    type: script
    command: echo
    args: ["hello {{ workflow.input.who }}"]
output:
  said: "{{ greet.output.stdout | trim }}"
`;

const SLOW = `
workflow: { name: slow, entry_point: first }
agents:
  - { name: first, type: set, value: "1", routes: [{ to: rest }] }
  - { name: rest, type: script, command: sleep, args: ["600"] }
`;

const BROKEN = `
workflow: { name: notes, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: sh
    args: ["-c", "echo x >> count; echo '{\\"title\\": \\"Release\\"}'"]
    routes: [{ to: write }]
  - name: write
    type: set
    value: "{{ fetch.output.titel }}"
output:
  title: "{{ write.output }}"
`;

const GATE = `
workflow: { name: ask, entry_point: may_we }
agents:
  - name: may_we
    type: human_gate
    prompt: Ship it?
    options:
      - { label: Yes, value: yes_please, route: done, prompt_for: why }
      - { label: No, value: no_thanks, route: $end }
  - { name: done, type: set, value: "shipped, {{ may_we.output.additional_input.why }}" }
output:
  said: "{{ done.output | default('nothing') }}"
`;

/** By the first, runs are driven in processes of their own; by the second, inside the server. */
const DOORS: readonly (readonly [Era, TransportName, { isInside: boolean }])[] = [
  ["old", "stdio", { isInside: false }],
  ["new", "http", { isInside: true }],
];

describe.each(DOORS)("a client of the %s era over %s", (era, transport, { isInside }) => {
  // One for all tests that neither end it nor want to be alone with it: to start one costs more than most of them.
  let segno: Connected;
  beforeAll(async () => {
    segno = await connect(transport, { era, isInside });
  });
  afterAll(() => segno.close());

  it("offers the tools, each with schemas; gates can be answered only when the server was told so", async () => {
    const { client } = segno;
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "workflow_list",
      "workflow_describe",
      "workflow_validate",
      "workflow_run",
      "run_status",
      "run_resume",
      "run_cancel",
      "run_events",
      "run_explain",
      "run_list",
      "run_stats",
      "run_record",
      "workflow_test",
      "workflow_backtest",
      "workflow_eval",
      "gate_list",
      "dlq_list",
      "dlq_retry",
      "schema_get",
    ]);
    for (const tool of tools) expect(tool.outputSchema, tool.name).toMatchObject({ type: "object" });
  });

  it("says what an eval would do for real, and reads nothing outside of the roots", async () => {
    const { call, write, folder } = segno;
    write(
      "counted.yaml",
      'workflow: { name: ask, entry_point: a, input: { n: { type: number } } }\nagents: [{ name: a, prompt: "{{ workflow.input.n }}" }]\n',
    );
    write("rows.jsonl", '{"inputs": {"n": 1}}\n');
    write("counted.eval.yaml", "workflow: counted.yaml\ndataset: rows.jsonl\ngrade: [{ contains: one }]\n");
    expect((await call("workflow_eval", { file: "counted.eval.yaml" })).object).toMatchObject({
      success: true,
      preview: { rows: 1, runs: 1, live: [{ step: "a", type: "agent" }] },
      last: null,
    });
    write("out.eval.yaml", "workflow: counted.yaml\ndataset: /etc/passwd\ngrade: [{ contains: one }]\n");
    const refused = await call("workflow_eval", { file: "out.eval.yaml" });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).not.toContain("root:");
    for (const name of ["counted.yaml", "rows.jsonl", "counted.eval.yaml", "out.eval.yaml"]) rmSync(join(folder, name));
  });

  it("lists, describes, validates and runs", async () => {
    const { call, write } = segno;
    write("hello.yaml", HELLO);
    write("other.yaml", "not: a workflow\n");
    expect((await call("workflow_list")).object.workflows).toMatchObject([
      { file: "hello.yaml", workflow: "hello", inputs: ["who"] },
    ]);
    expect((await call("workflow_describe", { file: "hello.yaml" })).object).toMatchObject({
      success: true,
      inputs: [{ name: "who", type: "string", required: false, default: "world" }],
      steps: [{ node_id: "greet", type: "script" }],
      raises: [{ node_id: "greet" }],
    });
    expect((await call("workflow_validate", { file: "hello.yaml" })).object).toMatchObject({ status: "valid" });
    const ran = await call("workflow_run", { file: "hello.yaml", inputs: { who: "you" } });
    expect(ran).toMatchObject({
      isError: false,
      object: { schema: "segno.result/1", status: "completed", file: "hello.yaml", output: { said: "hello you" } },
    });
    expect(ran.text).toContain("hello you");
  });

  it("lets a coding agent repair a workflow: validate, run, read the error, edit, resume, finish", async () => {
    const { call, write, folder } = segno;
    write("notes.yaml", BROKEN.replace("to: write", "to: wirte"));
    const checked = await call("workflow_validate", { file: "notes.yaml" });
    expect(checked).toMatchObject({ isError: true, object: { status: "invalid" } });
    const [finding] = checked.object.errors;
    expect(finding.suggestions).toContain("write");

    const read = (): string => readFileSync(join(folder, "notes.yaml"), "utf8");
    write("notes.yaml", read().replace("wirte", finding.suggestions[0]));
    expect(await call("workflow_validate", { file: "notes.yaml" })).toMatchObject({ isError: false });

    const failed = await call("workflow_run", { file: "notes.yaml" });
    expect(failed).toMatchObject({ isError: true, object: { status: "failed", exit_code: 3 } });
    const [error] = failed.object.errors;
    expect(error).toMatchObject({ node_id: "write", kind: "internal.template_error", fixable: true });
    const { run_id } = failed.object;
    expect((await call("run_status", { run_id })).object).toMatchObject({ status: "failed", run_id });
    const told = await call("run_explain", { run_id });
    expect(told).toMatchObject({ isError: false, object: { run: { run_id } } });
    expect(told.text).toContain("internal.template_error");

    const field = String(error.suggestions[0]).split(".").at(-1) ?? "";
    write("notes.yaml", read().replace("titel", field));
    const done = await call("run_resume", { run_id });
    expect(done).toMatchObject({
      isError: false,
      object: { status: "completed", output: { title: "Release" }, run_id },
    });
    expect(done.object.execution.steps).toMatchObject([
      { node_id: "fetch", cached: true },
      { node_id: "write", repaired: true },
    ]);
    expect(readFileSync(join(folder, "count"), "utf8")).toBe("x\n");
  });

  it("resumes with an edited copy, and goes on with that from then on", async () => {
    const { call, write } = segno;
    write("notes.yaml", BROKEN);
    const { run_id } = (await call("workflow_run", { file: "notes.yaml" })).object;
    write("edited.yaml", BROKEN.replace("titel", "tittle"));
    expect((await call("run_resume", { run_id, file: "edited.yaml" })).object).toMatchObject({
      status: "failed",
      file: "edited.yaml",
    });
    write("edited.yaml", BROKEN.replace("titel", "title"));
    expect((await call("run_resume", { run_id })).object).toMatchObject({ status: "completed", file: "edited.yaml" });
  });

  it("answers after wait_seconds with a run that goes on, and cancels it on request", async () => {
    const { call, write } = segno;
    write("slow.yaml", SLOW);
    const begun = await call("workflow_run", { file: "slow.yaml", wait_seconds: 0.2 });
    expect(begun).toMatchObject({ isError: false, object: { status: "running", exit_code: null } });
    const { run_id } = begun.object;
    expect((await call("run_status", { run_id })).object).toMatchObject({ status: "running" });
    expect(await call("run_cancel", { run_id })).toMatchObject({ isError: false, object: { status: "cancelled" } });
    expect((await call("run_status", { run_id })).object).toMatchObject({
      status: "cancelled",
      checkpoint: { resumable: true },
    });
  });

  it("goes on serving when `segno cancel` stops one of its runs", async () => {
    const { call, write, folder, home } = segno;
    write("slow.yaml", SLOW);
    const start = async (): Promise<string> =>
      (await call("workflow_run", { file: "slow.yaml", wait_seconds: 0.2 })).object.run_id;
    const [first, second] = [await start(), await start()];
    const env = { ...process.env, SEGNO_HOME: home };
    const cancelled = spawnSync(process.execPath, [resolve("dist/main.js"), "cancel", first], { cwd: folder, env });
    expect(cancelled.status).toBe(0);
    expect((await call("run_status", { run_id: first })).object.status).toBe("cancelled");
    expect((await call("run_status", { run_id: second })).object.status).toBe("running");
  });

  it("tells progress step by step, and a cancelled request stops its run", async () => {
    const { call, write } = segno;
    write("slow.yaml", SLOW);
    const stop = new AbortController();
    const heard: string[] = [];
    const onprogress = ({ message = "" }: { message?: string }) => {
      heard.push(message);
      if (message.startsWith("rest runs")) stop.abort("enough");
    };
    await expect(call("workflow_run", { file: "slow.yaml" }, { signal: stop.signal, onprogress })).rejects.toThrow();
    expect(heard).toEqual(expect.arrayContaining(["first runs", "first done", "rest runs"]));
    const run_id = /run (\w+) of slow began/.exec(heard[0] ?? "")?.[1];
    const result = await until(async () => {
      const { object } = await call("run_status", { run_id });
      return object.status === "running" ? undefined : object;
    });
    expect(result).toMatchObject({ status: "cancelled", checkpoint: { resumable: true } });
  });

  it("shows gates, and does not let an agent through unless it may", async () => {
    const { call, write, folder } = await connected(transport, { era, isInside });
    write("ask.yaml", GATE);
    // What an agent sends may look like Segno's own mark for a secret: it is an ordinary value.
    const paused = await call("workflow_run", { file: "ask.yaml", inputs: { given: { $secret: "given" } } });
    expect(paused).toMatchObject({ isError: false, object: { status: "paused", gate: { node_id: "may_we" } } });
    const { run_id } = paused.object;
    expect((await call("gate_list")).object.gates).toMatchObject([{ run_id, node_id: "may_we" }]);
    expect(await call("gate_answer", { run_id, value: "yes_please" })).toMatchObject({ isError: true });

    const trusted = await connected(transport, { era, isInside, folder, args: ["--allow-gate-answers"] });
    const wrong = await trusted.call("gate_answer", { run_id, value: "perhaps" });
    expect(wrong).toMatchObject({ isError: true, object: { exit_code: 2 } });
    const answer = { run_id, gate: "may_we", value: "yes_please", additional_input: { why: "tested" } };
    expect((await trusted.call("gate_answer", answer)).object).toMatchObject({
      status: "completed",
      output: { said: "shipped, tested" },
    });
    const { events } = (await trusted.call("run_events", { run_id })).object;
    const resolved = events.find((event: { type: string }) => event.type === "gate_resolved");
    expect(JSON.stringify(resolved)).toContain("mcp:test-agent");
  });

  it("keeps dead letters and tries them again", async () => {
    const { call, write } = segno;
    write(
      "letters.yaml",
      `
workflow: { name: letters, entry_point: try_it, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ['internal.*'] } } }
agents:
  - { name: try_it, type: script, command: test, args: ["-e", "ready"] }
`,
    );
    expect((await call("workflow_run", { file: "letters.yaml" })).object.status).toBe("failed");
    const [letter] = (await call("dlq_list")).object.letters;
    expect(letter).toMatchObject({ node_id: "try_it", kind: "internal.script_error", status: "open" });
    expect((await call("dlq_list", { letter_id: letter.id })).object.letters[0]).toHaveProperty("envelope");
    write("ready", "");
    expect((await call("dlq_retry", { letter_id: letter.id })).object).toMatchObject({
      status: "completed",
      letters: [{ status: "resolved" }],
    });
    expect(await call("dlq_retry", { letter_id: "NOPE" })).toMatchObject({ isError: true });
  });

  it("gives schemas, pages events, and has the language, the kinds and runs as resources", async () => {
    const { call, write, client } = segno;
    expect((await call("schema_get")).object).toHaveProperty("properties.agents");
    expect((await call("schema_get", { of: "result" })).object).toHaveProperty("properties.checkpoint");
    write("hello.yaml", HELLO);
    const { run_id } = (await call("workflow_run", { file: "hello.yaml" })).object;
    const { events } = (await call("run_events", { run_id })).object;
    expect(events[0]).toMatchObject({ seq: 1, type: "workflow_started" });
    const rest = await call("run_events", { run_id, after_seq: events.at(-2).seq });
    expect(rest.object).toMatchObject({ events: [{ type: "workflow_completed" }], next_after_seq: null });

    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining(["segno://language", "segno://kinds", `segno://runs/${run_id}/result`]),
    );
    for (const uri of uris) {
      const [content] = (await client.readResource({ uri })).contents;
      expect((content as { text: string }).text.length, uri).toBeGreaterThan(50);
    }
    await expect(client.readResource({ uri: "segno://runs/NOPE/result" })).rejects.toThrow("nothing at");
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const { messages } = await client.getPrompt({ name: "workflow_author", arguments: { run_id } });
    expect(JSON.stringify(messages)).toContain(run_id);
  });

  it("tells what is wrong with a call, and still gives the object", async () => {
    const { call } = segno;
    expect(await call("workflow_run", { path: "x.yaml" })).toMatchObject({ isError: true, object: { exit_code: 2 } });
    expect(await call("workflow_run", { file: "missing.yaml" })).toMatchObject({
      isError: true,
      object: { status: "invalid", exit_code: 2 },
    });
    expect(await call("run_status", { run_id: "01ZZZZ" })).toMatchObject({ isError: true });
    expect(await call("run_resume", { run_id: "01ZZZZ" })).toMatchObject({ isError: true, object: { exit_code: 2 } });
    expect(await call("run_events", { run_id: "01ZZZZ" })).toMatchObject({ isError: true });
    expect(await call("run_explain", { run_id: "01ZZZZ" })).toMatchObject({ isError: true });
  });
});
