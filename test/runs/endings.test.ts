// How runs end: terminate, limits, gates, cancels, inputs that do not fit, stores that cannot be used.
import { chmodSync, mkdirSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { listRuns, showRun } from "../../src/services/runs/runs.ts";
import { Playground, play } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

describe("terminate", () => {
  const ends = (status: string, more = ""): string =>
    `workflow: { name: case, entry_point: stop }\nagents: [{ name: stop, type: terminate, status: ${status}, reason: "because {{ 1 + 1 }}"${more} }]\noutput: { fallback: "yes" }\n`;

  const never = '  - { name: never, type: set, value: 1 }\noutput: { never: "{{ never.output }}" }\n';
  const ended = (status: string, fields: string, more = ""): string =>
    `workflow: { name: case, entry_point: stop }\nagents:\n  - { name: stop, type: terminate, status: ${status}, ${fields} }\n${more}`;

  it.each([
    [
      "success",
      "the workflow's output reads what never ran",
      "reason: not today",
      "not today",
      /`output` .*'never' .*Give stop an `output_template`/,
    ],
    [
      "failed",
      "the workflow's output reads what never ran",
      "reason: not today",
      "not today",
      /`output` .*Give stop an `output_template`/,
    ],
    [
      "success",
      "its reason cannot be rendered",
      'output_template: { a: "1" }, reason: "{{ never.output }}"',
      "stop",
      /reason of stop could not be rendered/,
    ],
    [
      "failed",
      "its reason comes out empty",
      `output_template: { a: "1" }, reason: "{{ '' }}"`,
      "stop",
      /reason of stop came out empty/,
    ],
    [
      "failed",
      "its output cannot be rendered",
      'output_template: { a: "{{ never.output }}" }, reason: no',
      "no",
      /`output_template` of stop could not be rendered/,
    ],
  ])("counts as %s though %s", async (status, _, fields, reason, warning) => {
    const { result, events } = await play(ended(status, fields, never));
    const isLost = /output`|output_template` of/.test(warning.source);
    expect(result).toMatchObject({
      status: "terminated",
      success: status === "success",
      exit_code: status === "success" ? 0 : 1,
      output: isLost ? null : { a: 1 },
      termination: { reason, status },
      warnings: [{ node_id: "stop", message: expect.stringMatching(warning) }],
    });
    expect(result.warnings[0]?.message).not.toContain("default");
    expect(events.at(-1)).toMatchObject({ data: { is_explicit: true, terminated_by: "stop" } });
  });

  it("fails at its step when the output that a good end promises cannot be rendered", async () => {
    const { result } = await play(
      ended("success", 'reason: done, output_template: { a: "{{ never.output }}" }', never),
    );
    expect(result).toMatchObject({ status: "failed", exit_code: 3, errors: [{ node_id: "stop" }] });
  });

  it("counts where its `input:` asks for what is not there", async () => {
    const { result } = await play(`
workflow: { name: case, entry_point: stop, context: { mode: explicit } }
agents:
  - { name: stop, type: terminate, status: failed, reason: "no: {{ never.output }}", input: [never.output] }
  - { name: never, type: set, value: 1 }
`);
    expect(result).toMatchObject({ status: "terminated", exit_code: 1, termination: { reason: "stop" } });
  });

  it("counts in a child too, whose caller goes on with what there is", async () => {
    const parent = (status: string): string => `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: ./child.yaml, routes: [{ to: $end }, { on_error: subworkflow.terminated, to: said }] }
  - { name: said, type: set, value: "{{ call.error.details.reason }} {{ call.error.details.output }}" }
output: { gave: "{{ call.output | default('nothing') }}", said: "{{ said.output if said is defined else '${status}' }}" }
`;
    for (const [status, output] of [
      ["success", { gave: "nothing", said: "success" }],
      ["failed", { gave: "nothing", said: "enough None" }],
    ] as const) {
      ground.write({ "main.yaml": parent(status), "child.yaml": ended(status, "reason: enough", never) });
      const { result } = await ground.run("main.yaml");
      expect(result).toMatchObject({ status: "completed", output });
      expect(result.warnings[0]).toMatchObject({ node_id: "stop", path: ["call"] });
    }
  });

  it("is known to its own output: its fields, the history, the iteration", async () => {
    const own =
      '{ s: "{{ stop.output.status }}", r: "{{ stop.output.reason }}", h: "{{ context.history }}", i: "{{ context.iteration }}" }';
    const output = { s: "failed", r: "why", h: ["stop"], i: 1 };
    expect((await play(ended("failed", `reason: why, output_template: ${own}`))).result.output).toEqual(output);
    expect((await play(ended("failed", "reason: why", `output: ${own}\n`))).result.output).toEqual(output);
  });

  it("ends well with the workflow's output", async () => {
    const { result, events } = await play(ends("success"));
    expect(result).toMatchObject({
      status: "terminated",
      success: true,
      exit_code: 0,
      output: { fallback: "yes" },
      termination: { reason: "because 2" },
    });
    expect(events.at(-1)).toMatchObject({
      type: "workflow_completed",
      data: { is_explicit: true, terminated_by: "stop" },
    });
  });

  it("ends badly with an output of its own, and cannot be resumed", async () => {
    const { result } = await play(ends("failed", ', output_template: { n: "{{ 3 }}" }'));
    expect(result).toMatchObject({
      status: "terminated",
      success: false,
      exit_code: 1,
      output: { n: 3 },
      checkpoint: { resumable: false },
    });
  });

  it("becomes an error of the step that called the file", async () => {
    const { result } = await play(
      `workflow: { name: top, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }, { on_error: subworkflow.terminated, to: h }] }
  - { name: h, type: set, value: "{{ error.details.reason }}" }
output: { got: "{{ h.output }}" }
`,
      { files: { "child.yaml": ends("failed") } },
    );
    expect(result).toMatchObject({ status: "completed", termination: null, output: { got: "because 2" } });
  });
});

describe("limits", () => {
  it("begins a parallel group only when all its members may run", async () => {
    const file = (most: number): string => `
workflow: { name: case, entry_point: g, limits: { max_iterations: ${most} } }
agents:
  - { name: a, type: set, value: 1 }
  - { name: b, type: set, value: 1 }
  - { name: c, type: set, value: 1 }
parallel: [{ name: g, agents: [a, b, c] }]
`;
    const { result, events } = await play(file(2));
    expect(result.errors[0]).toMatchObject({
      error_type: "MaxIterationsError",
      message: expect.stringContaining("3 members"),
    });
    expect(events.map(({ type }) => type)).not.toContain("agent_started");
    expect((await play(file(3))).result.status).toBe("completed");
  });

  it("stop a loop, and a resume goes on with more", async () => {
    ground.write({
      "main.yaml": `workflow: { name: loop, entry_point: a, limits: { max_iterations: 4 } }
agents: [{ name: a, type: set, value: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ context.iteration >= 7 }}" }, { to: a }] }]
output: { n: "{{ a.output }}" }
`,
    });
    const first = await ground.run("main.yaml");
    expect(first.result).toMatchObject({
      exit_code: 1,
      errors: [{ kind: null, category: "policy" }],
      checkpoint: { resumable: true },
    });
    const second = await ground.resume(first.result.run_id ?? "", { maxIterations: 20 });
    expect(second.result).toMatchObject({ status: "completed" });
  });

  it("end a run that takes too long, and what it started", async () => {
    const { result } = await play(
      `workflow: { name: slow, entry_point: a, limits: { timeout_seconds: 1 } }\nagents: [{ name: a, type: script, command: sleep, args: ["30"] }]\n`,
    );
    expect(result).toMatchObject({
      exit_code: 1,
      errors: [{ kind: null, error_type: "TimeoutError", category: "policy" }],
      checkpoint: { resumable: true },
    });
  });
});

describe("a gate", () => {
  const GATE = `
workflow: { name: gate, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Ship **it**?", options: [{ label: Yes, value: y, route: done }, { label: No, value: n, route: done, prompt_for: why }] }
  - { name: done, type: set, value: "{{ ask.output.selected }} {{ ask.output.additional_input.why | default('') }}" }
output: { got: "{{ done.output }}" }
`;
  it("pauses the run when nobody is there, and an answer from elsewhere goes on", async () => {
    ground.write({ "main.yaml": GATE });
    const { result } = await ground.run("main.yaml");
    expect(result).toMatchObject({
      status: "paused",
      exit_code: 4,
      gate: { node_id: "ask", options: [{ value: "y" }, { value: "n" }] },
    });
    expect((await listGates(ground.session)).gates).toMatchObject([{ node_id: "ask" }]);
    const run = result.run_id ?? "";
    const wrong = await answerGate(ground.session, { run, value: "maybe", inputs: {} });
    expect(wrong).toMatchObject({ exit_code: 2 });
    const answered = await answerGate(ground.session, { run, value: "n", inputs: { why: "late" } });
    expect(answered).toMatchObject({ status: "completed", output: { got: "n late" } });
    const again = await answerGate(ground.session, { run, value: "y", inputs: {} });
    expect(again).toMatchObject({ exit_code: 2 });
  });

  it("takes no answer without the text that its option asks for", async () => {
    ground.write({ "main.yaml": GATE });
    const { result } = await ground.run("main.yaml");
    const answer = { ...ground.session, run: result.run_id ?? "", value: "n" };
    for (const inputs of [{}, { why: " " }] as readonly Record<string, string>[])
      expect(await answerGate(answer, { ...answer, inputs })).toMatchObject({
        exit_code: 2,
        error: "n asks for a text, why: --input why=…",
      });
    expect((await answerGate(answer, { ...answer, inputs: { why: "late" } })).output).toEqual({ got: "n late" });
  });

  it("is asked again by a resume from it, also when it was answered from elsewhere", async () => {
    ground.write({ "main.yaml": GATE.replace("{{ ask.output.selected }}", "{{ ask.output.selected }}{{ 1 / 0 }}") });
    const { result } = await ground.run("main.yaml");
    const run = result.run_id ?? "";
    expect(await answerGate(ground.session, { run, value: "y", inputs: {} })).toMatchObject({ status: "failed" });
    ground.write({ "main.yaml": GATE });
    expect(await ground.resume(run, { from: "ask" })).toMatchObject({ result: { status: "paused", exit_code: 4 } });
    const answered = await answerGate(ground.session, { run, value: "n", inputs: { why: "late" } });
    expect(answered).toMatchObject({ status: "completed", output: { got: "n late" } });
  });

  it("records the person who answered, and apart from it who they say they are", async () => {
    ground.write({ "main.yaml": GATE });
    const { result } = await ground.run("main.yaml");
    const answer = { ...ground.session, run: result.run_id ?? "", value: "y", inputs: {}, as: "the boss" };
    const resolved: RunEvent[] = [];
    await answerGate(answer, answer, { on: (event) => event.type === "gate_resolved" && resolved.push(event) });
    expect(resolved.map(({ data }) => data)).toMatchObject([
      { answered_by: `${userInfo().username}@${hostname()}`, answered_via: "cli", claimed_by: "the boss" },
    ]);
  });

  it("is answered by whoever is there", async () => {
    const { result } = await play(GATE, {
      ask: async () => ({ kind: "gate", value: "y", additional_input: {}, by: "test" }),
    });
    expect(result.output).toEqual({ got: "y " });
  });

  it("takes its first option when gates are skipped", async () => {
    const { result } = await play(GATE, { skipGates: true });
    expect(result.status).toBe("completed");
  });
});

describe("a cancel", () => {
  it("ends what runs and can be resumed", async () => {
    ground.write({
      "main.yaml": `workflow: { name: int, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: [-c, "echo x >> a"], routes: [{ to: b }] }
  - { name: b, type: script, command: sh, args: [-c, "test -e go || sleep 30"] }
`,
    });
    const stop = new AbortController();
    const first = await ground.run("main.yaml", {
      signal: stop.signal,
      on: (event) => {
        if (event.type === "script_spawned" && event.data.agent_name === "b") stop.abort();
      },
    });
    expect(first.result).toMatchObject({ status: "cancelled", exit_code: 130, checkpoint: { resumable: true } });
    ground.write({ go: "" });
    expect((await ground.resume(first.result.run_id ?? "")).result.status).toBe("completed");
    expect(ground.read("a")).toBe("x\n");
  });
});

describe("a wait that is cut short", () => {
  it("is not done: the run is cancelled, and a resume waits for the rest", async () => {
    ground.write({
      "main.yaml": "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: wait, duration: 1500ms }]\n",
    });
    const stop = new AbortController();
    const first = await ground.run("main.yaml", {
      signal: stop.signal,
      on: (event) => {
        if (event.type === "wait_started") stop.abort();
      },
    });
    expect(first.result).toMatchObject({ status: "cancelled", exit_code: 130 });
    expect((await ground.resume(first.result.run_id ?? "")).result.status).toBe("completed");
  });
});

describe("what is refused before anything runs", () => {
  it("names every input that does not fit", async () => {
    const { result } = await play(
      `workflow: { name: i, entry_point: a, input: { version: { type: string }, count: { type: number } } }\nagents: [{ name: a, type: script, command: touch, args: [ran] }]\n`,
      { inputs: { count: { text: "many" }, colour: { text: "red" } } },
    );
    expect(result).toMatchObject({ status: "invalid", exit_code: 2 });
    expect(result.errors.map(({ category }) => category)).toEqual([
      "input_validation",
      "input_validation",
      "input_validation",
    ]);
  });

  it("says so when the store cannot be written", async () => {
    if (process.getuid?.() === 0) return;
    mkdirSync(join(ground.folder, ".home"));
    chmodSync(join(ground.folder, ".home"), 0o500);
    ground.write({
      "main.yaml": "workflow: { name: a, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\n",
    });
    const { result } = await ground.run("main.yaml");
    expect(result).toMatchObject({ exit_code: 1, errors: [{ error_type: "StoreError" }] });
  });
});

describe("looking at runs", () => {
  it("lists them and shows each as its result", async () => {
    ground.write({
      "main.yaml":
        "workflow: { name: shown, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\noutput: { n: '{{ a.output }}' }\n",
    });
    const { result } = await ground.run("main.yaml");
    expect((await listRuns(ground.session, {})).runs).toMatchObject([
      { run_id: result.run_id, workflow: "shown", status: "completed" },
    ]);
    expect(await showRun(ground.session, { run: result.run_id ?? "" })).toMatchObject({
      status: "completed",
      output: { n: 1 },
    });
    expect(await showRun(ground.session, { run: "01NONE" })).toMatchObject({ exit_code: 2 });
  });
});

describe("secrets", () => {
  it("never leave: not in the result, the events or errors.jsonl", async () => {
    const secret = "hunter2-very-secret";
    const { result, events, errorLines } = await play(
      `workflow: { name: s, entry_point: a, input: { password: { type: string, secret: true } } }
agents:
  - name: a
    type: script
    command: sh
    args: [-c, "printf 'using hunter2-'; sleep 0.2; echo 'very-secret'; echo '{\\"kind\\":\\"auth.denied\\",\\"message\\":\\"bad {{ workflow.input.password }}\\",\\"details\\":{\\"author\\":\\"ann\\"}}' > \\"$CONDUCTOR_ERROR_OUT\\""]
`,
      { inputs: { password: { value: secret } } },
    );
    expect(result.errors[0]).toMatchObject({ message: "bad <redacted>", details: { author: "ann" } });
    expect(JSON.stringify([result, events, errorLines])).not.toContain(secret);
    expect(
      events
        .filter(({ type }) => type === "script_output")
        .map(({ data }) => (data as { text: string }).text)
        .join(""),
    ).not.toContain(secret);
  });
});
