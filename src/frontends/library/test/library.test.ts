// The library as a program would use it: run, resume, own steps, own providers, own policies, own clock, own store.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Asker,
  definePolicy,
  defineProvider,
  defineStep,
  failed,
  loadWorkflow,
  openStore,
  PolicyEngine,
  PolicyViolationError,
  type RunEvent,
  type RunOptions,
  raised,
  resume,
  run,
  succeeded,
  validate,
} from "../../../index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-library-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const env = { PATH: process.env.PATH };
const options = (more: RunOptions = {}): RunOptions => ({
  cwd: folder,
  env,
  store: openStore(join(folder, "home")),
  ...more,
});

const HELLO = `
workflow:
  name: hello
  description: Says hello.
  entry_point: greet
  input: { who: { type: string } }
agents:
  - { name: greet, type: script, command: echo, args: ["hello {{ workflow.input.who }}"] }
output: { said: "{{ greet.output.stdout | trim }}" }
`;

describe("a workflow", () => {
  it("is loaded, described, validated and run", async () => {
    put("hello.yaml", HELLO);
    const workflow = await loadWorkflow("hello.yaml", { cwd: folder });
    expect(workflow).toMatchObject({
      name: "hello",
      description: "Says hello.",
      inputs: [{ name: "who", type: "string", required: true }],
      steps: [{ name: "greet", type: "script" }],
    });
    expect(await validate(workflow)).toMatchObject({ status: "valid", success: true });
    const events: RunEvent[] = [];
    const result = await run(workflow, options({ inputs: { who: "you" }, on: (event) => events.push(event) }));
    expect(result).toMatchObject({ status: "completed", output: { said: "hello you" } });
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["workflow_started", "workflow_completed"]));
  });

  it("that cannot be read is refused; one that is wrong is told", async () => {
    await expect(loadWorkflow("nothing.yaml", { cwd: folder })).rejects.toThrow("nothing.yaml");
    put("wrong.yaml", HELLO.replace("entry_point: greet", "entry_point: great"));
    expect(await validate("wrong.yaml", { cwd: folder })).toMatchObject({ status: "invalid", exit_code: 2 });
    expect(await run("wrong.yaml", options())).toMatchObject({ status: "invalid", run_id: null });
    put("hello.yaml", HELLO);
    expect(await run("hello.yaml", options({ inputs: { whom: "x" } }))).toMatchObject({ status: "invalid" });
  });

  it("does not go around a gate for certain people, nor make the run end before it", async () => {
    const file = put(
      "ask.yaml",
      `
workflow: { name: ask, entry_point: before }
agents:
  - { name: before, type: set, value: 1, routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: Ship?
    approvers: [alex@elsewhere]
    options: [{ label: "Yes", value: "yes", route: $end }]
`,
    );
    const store = openStore(join(folder, "home"));
    const { run_id } = await run(file, options({ store }));
    const refused = { status: "invalid", error: expect.stringContaining("waits at the gate ask") };
    expect(await resume(run_id ?? "", { ...options({ store }), from: "before" })).toMatchObject(refused);
    expect(await resume(run_id ?? "", options({ store, maxIterations: 1 }))).toMatchObject(refused);
    expect(await resume(run_id ?? "", options({ store }))).toMatchObject({ status: "paused" });
  });

  it("fails, is mended and resumed; the store knows it all along", async () => {
    const text = `
workflow: { name: two, entry_point: a }
agents:
  - { name: a, type: script, command: sh, args: ["-c", "echo x >> count"], routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.nothing }}" }
`;
    const file = put("two.yaml", text);
    const store = openStore(join(folder, "home"));
    const broken = await run(file, options({ store }));
    expect(broken).toMatchObject({ status: "failed", exit_code: 3, checkpoint: { resumable: true } });
    const { run_id } = broken;
    expect(await store.runs({ status: "failed" })).toMatchObject([{ run_id, kind: "internal.template_error" }]);
    put("two.yaml", text.replace(".nothing", ".exit_code"));
    expect(await resume(run_id ?? "", options({ store }))).toMatchObject({ status: "completed", run_id });
    expect(await store.result(run_id ?? "")).toMatchObject({ status: "completed" });
    const types: string[] = [];
    for await (const { type } of store.events(run_id ?? "")) types.push(type);
    expect(types).toEqual(expect.arrayContaining(["workflow_failed", "run_resumed", "workflow_completed"]));
    expect(readFileSync(join(folder, "count"), "utf8")).toBe("x\n");
  });

  it("asks whom it is given, and stops when it is told to", async () => {
    put(
      "ask.yaml",
      `
workflow: { name: ask, entry_point: gate }
agents:
  - { name: gate, type: human_gate, prompt: Go?, options: [{ label: Go, value: go, route: wait }] }
  - { name: wait, type: script, command: sleep, args: ['60'] }
`,
    );
    expect(await run("ask.yaml", options())).toMatchObject({ status: "paused", exit_code: 4 });
    const stop = new AbortController();
    const ask: Asker = async () => ({ kind: "gate", value: "go", additional_input: {}, by: "test" });
    const on = ({ type }: RunEvent) => type === "script_started" && stop.abort();
    expect(await run("ask.yaml", options({ ask, on, signal: stop.signal }))).toMatchObject({
      status: "cancelled",
      checkpoint: { resumable: true },
    });
  });

  it("is one of many that one signal stops, without a warning of Node", async () => {
    put("wait.yaml", "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: wait, duration: 5h }]\n");
    const stop = new AbortController();
    const warned: string[] = [];
    const warn = ({ name }: Error) => warned.push(name);
    process.on("warning", warn);
    let begun = 0;
    const on = ({ type }: RunEvent) => type === "wait_started" && ++begun === 12 && stop.abort();
    const ends = await Promise.all(
      Array.from({ length: 12 }, () => run("wait.yaml", options({ on, signal: stop.signal }))),
    );
    process.off("warning", warn);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
    expect(warned).toEqual([]);
  });

  it("lets no time pass on a clock that is not real", async () => {
    put("wait.yaml", "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: wait, duration: 5h }]\n");
    let now = 0;
    const clock = {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    };
    expect(await run("wait.yaml", options({ clock }))).toMatchObject({ status: "completed" });
    expect(now).toBeGreaterThanOrEqual(5 * 3600 * 1000);
  });
});

describe("an own step", () => {
  const shout = defineStep<{ text: string; times?: number }>({
    type: "shout",
    description: "says it louder",
    schema: {
      type: "object",
      properties: { text: { type: "string" }, times: { type: "integer", minimum: 1 } },
      required: ["text"],
    },
    execute: ({ text, times = 1 }, { attempt }) =>
      text === "" && attempt < 3
        ? failed(raised("shout.silence", "there is nothing to say", { attempt }))
        : succeeded(Array(times).fill(text.toUpperCase()).join(" ")),
  });
  const flow = (fields: string): string => `
workflow: { name: own, entry_point: say, input: { who: { type: string, default: you } } }
agents:
  - name: say
    type: shout
    ${fields}
output: { said: "{{ say.output }}" }
`;

  it("is used in files, with templates in its fields", async () => {
    put("own.yaml", flow('text: "hi {{ workflow.input.who }}"\n    times: "{{ 1 + 1 }}"'));
    expect(await run("own.yaml", options({ steps: [shout] }))).toMatchObject({
      status: "completed",
      output: { said: "HI YOU HI YOU" },
    });
    expect(await run("own.yaml", options())).toMatchObject({ status: "invalid" });
  });

  it("is checked when the file is loaded, and again when it is rendered", async () => {
    for (const [fields, part] of [
      ["times: 2", "`text`"],
      ["text: hi\n    times: many", "a whole number"],
      ["text: hi\n    tmies: 2", "times"],
    ] as const) {
      put("own.yaml", flow(fields));
      const { status, errors } = await validate("own.yaml", { cwd: folder, steps: [shout] });
      expect([status, errors.map(({ message }) => message).join(" ")]).toEqual([
        "invalid",
        expect.stringContaining(part),
      ]);
    }
    put("own.yaml", flow('text: hi\n    times: "{{ 0 }}"'));
    expect(await run("own.yaml", options({ steps: [shout] }))).toMatchObject({
      exit_code: 3,
      errors: [{ kind: "internal.bad_value", node_id: "say" }],
    });
  });

  it("raises what routes can take", async () => {
    const routes = "routes: [{ to: $end }, { on_error: shout.silence, retry: { max: 2, initial_seconds: 0 } }]";
    put("own.yaml", flow(`text: ""\n    raises: [shout.silence]\n    ${routes}`));
    expect(await run("own.yaml", options({ steps: [shout] }))).toMatchObject({
      status: "completed",
      execution: { steps: [{ attempts: 3 }] },
    });
  });

  it("has a type and fields that are its own", () => {
    const spec = { description: "", schema: {}, execute: () => succeeded(null) };
    expect(() => defineStep({ ...spec, type: "Bad Name" })).toThrow("lower-case");
  });
});

it("an own provider answers agents, and is known by its name", async () => {
  put(
    "talk.yaml",
    `
workflow: { name: talk, entry_point: say, runtime: { provider: parrot } }
agents:
  - { name: say, type: agent, prompt: "Polly?", output: { word: { type: string } } }
output: { word: "{{ say.output.word }}" }
`,
  );
  let calls = 0;
  const parrot = defineProvider({
    name: "parrot",
    call: ({ messages }) => {
      calls++;
      if (calls === 1) throw Object.assign(new Error("asleep"), { statusCode: 503 });
      const last = messages.at(-1);
      return { text: JSON.stringify({ word: last?.role === "user" ? last.text : "" }) };
    },
  });
  expect(await validate("talk.yaml", { cwd: folder })).toMatchObject({ status: "invalid" });
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const result = await run("talk.yaml", options({ providers: [parrot], clock }));
  expect(result).toMatchObject({ status: "completed", output: { word: expect.stringContaining("Polly?") } });
  expect(calls).toBe(2);
});

it("an own policy denies with a reason, and what it throws is a denial", async () => {
  const short = definePolicy({
    name: "short",
    evaluate: ({ step }) => (step?.timeout ?? 0) <= 600 || "ten minutes at most",
  });
  const engine = new PolicyEngine([short]);
  expect(await engine.check({ step: { name: "a", type: "script", timeout: 60 } })).toBe(true);
  await expect(engine.enforce({ step: { name: "a", type: "script", timeout: 601 } })).rejects.toThrow(
    PolicyViolationError,
  );
  engine.register(
    definePolicy({
      name: "broken",
      evaluate: () => {
        throw new Error("oh");
      },
    }),
  );
  expect(await engine.evaluateAll({})).toMatchObject([{ allowed: true }, { allowed: false, reason: "oh" }]);
});
