// Code of the library's user that does what it must not: steps, providers, `ask` and `on` that throw or give nonsense, and
// calls that cannot be meant. A run ends as failed and can go on; a wrong call is told at once.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Asker,
  definePolicy,
  defineProvider,
  defineStep,
  failed,
  loadWorkflow,
  type Outcome,
  openStore,
  type Raised,
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
  folder = mkdtempSync(join(tmpdir(), "segno-own-code-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const options = (more: RunOptions = {}): RunOptions => ({
  cwd: folder,
  env: { PATH: process.env.PATH },
  store: openStore(join(folder, "home")),
  ...more,
});

const stepThat = (execute: () => unknown) =>
  defineStep({ type: "own", description: "", schema: { type: "object" }, execute: execute as () => Outcome });
const OWN =
  "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: own }]\noutput: { a: '{{ a.output }}' }\n";
const circle = (): object => {
  const one: Record<string, unknown> = {};
  one.self = one;
  return one;
};
const MUST = 'it must give succeeded(…) or failed(raised("a.kind", "what happened"))';

describe("an own step whose execute", () => {
  it.each<[string, () => unknown, string, string]>([
    ["gives nothing", () => undefined, "internal.step_error", `gave undefined; ${MUST}`],
    ["gives a number", () => 5, "internal.step_error", `gave the number 5; ${MUST}`],
    ["gives bare data", () => ({ text: "x" }), "internal.step_error", `gave an object with text; ${MUST}`],
    ["fails with an exception", () => failed(new Error("e") as never), "internal.step_error", "(Error: e)"],
    ["fails with nothing", () => failed(undefined as never), "internal.step_error", "failed(…) with undefined"],
    ["gives a BigInt", () => succeeded(10n), "internal.step_error", "the BigInt 10n; an output is data that JSON can"],
    ["gives a BigInt inside", () => succeeded({ n: 1n }), "internal.step_error", "an object with n that JSON cannot"],
    ["gives a circle", () => succeeded(circle()), "internal.step_error", "circular"],
    ["gives a function", () => succeeded(() => 1), "internal.step_error", "gave a function"],
    [
      "has a circle in details",
      () => failed(raised("a.b", "m", { c: circle() })),
      "internal.step_error",
      "details are",
    ],
    [
      "throws",
      () => {
        throw new RangeError("out of paper");
      },
      "internal.step_error",
      "`execute` of the step type own threw: out of paper",
    ],
    ["rejects", () => Promise.reject("no"), "internal.step_error", 'threw: the text "no"'],
    [
      "raises what is no kind",
      () => failed(raised("Bad", "m")),
      "internal.schema_violation",
      'kind "Bad" is not a dotted',
    ],
    ["raises without words", () => failed(raised("a.b", "")), "internal.schema_violation", "message is empty"],
    ["raises a kind of the engine", () => failed(raised("internal.x", "m")), "internal.undeclared_kind", "internal.x"],
  ])("%s is told so, and the run can go on", async (_, execute, kind, part) => {
    put("own.yaml", OWN);
    const { run_id, ...result } = await run("own.yaml", options({ steps: [stepThat(execute)] }));
    expect(result).toMatchObject({
      status: "failed",
      exit_code: 3,
      checkpoint: { resumable: true },
      errors: [{ kind }],
    });
    const { message = "", hint } = result.errors[0] ?? {};
    expect(message).toContain(part);
    expect(`${message} ${hint}`).not.toContain("defect in Segno");
    expect(await openStore(join(folder, "home")).runs()).toMatchObject([{ run_id, status: "failed" }]);
    const mended = stepThat(() => succeeded("fine"));
    expect(await resume(run_id ?? "", options({ steps: [mended] }))).toMatchObject({
      status: "completed",
      output: { a: "fine" },
    });
  });

  it("gives what only nearly is JSON is read as it would come back from the journal", async () => {
    put("own.yaml", OWN);
    const steps = [stepThat(() => succeeded({ at: new Date(0), gone: undefined }))];
    expect(await run("own.yaml", options({ steps }))).toMatchObject({
      output: { a: { at: "1970-01-01T00:00:00.000Z" } },
    });
    const nothing = [stepThat(() => succeeded(undefined))];
    expect(await run("own.yaml", options({ steps: nothing }))).toMatchObject({ status: "completed" });
  });

  it("raises with a cause keeps the cause", async () => {
    put("own.yaml", OWN);
    const cause = {
      ...raised("a.c", "why"),
      raised_at: { workflow: "w", node: "b", attempt: 1 },
      propagated: [],
      attempts: 1,
    };
    const error: Raised = raised("a.b", "what", { n: 1 }, cause);
    const { errors } = await run("own.yaml", options({ steps: [stepThat(() => failed(error))] }));
    expect(errors).toMatchObject([{ kind: "a.b", message: expect.stringContaining("what") }]);
    expect(JSON.stringify(errors)).toContain("a.c");
  });
});

describe("an own provider whose call", () => {
  const TALK = `
workflow: { name: talk, entry_point: say, runtime: { provider: parrot } }
agents: [{ name: say, type: agent, prompt: "Polly?" }]
output: { said: "{{ say.output }}" }
`;
  it.each<[unknown, string]>([
    [7, "gave the number 7; it must give a turn with its `text`"],
    [undefined, "gave undefined"],
    [{ txt: "hi" }, "gave an object with txt"],
    [{ text: 5 }, "gave an object with text"],
  ])("gives %j is told what it must give", async (given, part) => {
    put("talk.yaml", TALK);
    const parrot = defineProvider({ name: "parrot", call: () => given as never });
    const result = await run("talk.yaml", options({ providers: [parrot] }));
    expect(result).toMatchObject({ status: "failed", checkpoint: { resumable: true } });
    expect(result.errors).toMatchObject([
      {
        kind: "internal.step_error",
        message: expect.stringContaining(`\`call\` of the provider parrot ${part}`),
        hint: expect.stringContaining("Correct `call` of the provider parrot"),
      },
    ]);
  });
});

describe("an ask", () => {
  const GATE = `
workflow: { name: g, entry_point: gate }
agents: [{ name: gate, type: human_gate, prompt: Go?, options: [{ label: Go, value: go, route: $end }] }]
`;
  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("nobody home");
      },
      "`ask` threw at gate: nobody home",
    ],
    ["gives a text", () => "go", '`ask` gave the text "go" at gate; it must give an answer of the kind gate'],
    ["answers something else", () => ({ kind: "dialog", text: "go" }), "an answer of the kind gate"],
  ])("that %s is told so, and the gate can be asked again", async (_, ask, part) => {
    put("gate.yaml", GATE);
    const result = await run("gate.yaml", options({ ask: (async () => ask()) as Asker }));
    expect(result).toMatchObject({ status: "failed", errors: [{ message: expect.stringContaining(part) }] });
    expect(JSON.stringify(result)).not.toContain("defect in Segno");
    const go: Asker = async () => ({ kind: "gate", value: "go", additional_input: {}, by: "test" });
    expect(await resume(result.run_id ?? "", options({ ask: go }))).toMatchObject({ status: "completed" });
  });
});

it.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("no screen");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("no screen"))],
])("a listener that %s does not hurt the run, and is told of once", async (_, on) => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  put("set.yaml", "workflow: { name: s, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n");
  const heard = vi.fn(on);
  expect(await run("set.yaml", options({ on: heard as () => void }))).toMatchObject({ status: "completed" });
  expect(heard.mock.calls.length).toBeGreaterThan(2);
  expect(warned.mock.calls).toEqual([[expect.stringContaining("no screen"), "SegnoListenerWarning"]]);
});

it("hears events as they are recorded: a field without a value is not there", async () => {
  const hook = "{ on_start: { command: node, args: [-e, ''] } }";
  const rule = "{ kind: a.b, when: exit_code != 0, message: no }";
  const step = `{ name: a, type: script, command: node, args: [-e, process.exit(3)], raise_when: [${rule}] }`;
  put("kept.yaml", `workflow: { name: s, entry_point: a, hooks: ${hook} }\nagents: [${step}]\n`);
  const heard: RunEvent[] = [];
  const on = (event: RunEvent) => heard.push(event);
  const { run_id } = await run("kept.yaml", options({ on }));
  await resume(String(run_id), options({ on }));
  expect(heard.map(({ type }) => type)).toEqual(expect.arrayContaining(["hook_ran", "agent_failed", "run_resumed"]));
  for (const event of heard) expect(event).toStrictEqual(JSON.parse(JSON.stringify(event)));
});

describe("a wrong call", () => {
  const spec = { type: "own", description: "", schema: {}, execute: () => succeeded(null) };

  it.each<[string, () => Promise<unknown>, string]>([
    [
      "run(5)",
      () => run(5 as never),
      "run takes the path of a workflow file, or what defineWorkflow or loadWorkflow gave, but the number 5",
    ],
    ["run({})", () => run({} as never), "but an object with no fields was given"],
    ["resume(5)", () => resume(5 as never), "resume takes the id of a run, but the number 5"],
    ["validate()", () => validate(undefined as never), "validate takes the path of a workflow file"],
    ["loadWorkflow(5)", () => loadWorkflow(5 as never), "loadWorkflow takes the path of a workflow file"],
    ["options: null", () => run("x.yaml", null as never), "the options of run are an object, but null was given"],
    ["inputs: 5", () => run("x.yaml", { inputs: 5 as never }), "`inputs` of run is an object with inputs by name"],
    ["inputz", () => run("x.yaml", { inputz: {} } as never), "run has no option `inputz`. Did you mean `inputs`?"],
    ["strange", () => validate("x.yaml", { strange: 1 } as never), "It has cwd, env, steps"],
    ["from in run", () => run("x.yaml", { from: "a" } as never), "run has no option `from`"],
    ["on: text", () => resume("x", { on: "x" as never }), "`on` of resume is a function"],
    ["bare steps", () => run("x.yaml", { steps: [{ type: "x" } as never] }), "a list of what defineStep gave"],
  ])("%s is refused with a sentence", async (_, call, part) => {
    const problem = await call().catch((one: unknown) => one);
    expect(problem).toBeInstanceOf(TypeError);
    expect((problem as Error).message).toContain(part);
  });

  it.each<[string, () => unknown, string]>([
    [
      "defineStep({})",
      () => defineStep({} as never),
      "`type` of defineStep is the name that files use, as text, but it is missing",
    ],
    ["defineStep()", () => defineStep(undefined as never), "defineStep takes an object"],
    ["no execute", () => defineStep({ ...spec, execute: undefined as never }), "`execute` of defineStep is a function"],
    ["no schema", () => defineStep({ ...spec, schema: "x" as never }), "`schema` of defineStep is the JSON Schema"],
    ["type: script", () => defineStep({ ...spec, type: "script" }), "script is a step type that Segno has"],
    ["defineProvider({})", () => defineProvider({} as never), "`name` of defineProvider"],
    ["definePolicy({})", () => definePolicy({} as never), "`name` of definePolicy"],
  ])("%s throws with a sentence", (_, call, part) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(part);
  });
});

describe("a value that no journal can hold", () => {
  // Each character is written as six, and no text has over 512 MB.
  const huge = defineStep({
    type: "huge",
    description: "Gives one text that is too long to be written.",
    schema: { type: "object", properties: { much: { type: "string" } } },
    execute: (values) =>
      succeeded((values as { much?: string }).much === "yes" ? "\u0001".repeat(100 * 2 ** 20) : "ok"),
  });
  const flow = (route: string, much = "yes"): string => `
workflow: { name: huge, entry_point: before }
agents:
  - { name: before, type: set, value: done, routes: [{ to: make }] }
  - { name: make, type: huge, much: "${much}", routes: [{ to: $end }${route}] }
  - { name: instead, type: set, value: "{{ make.error.kind }}", routes: [{ to: $end }] }
output: { instead: "{{ instead.output if instead is defined else none }}" }
`;

  it("is an error of its step that a route takes", async () => {
    put("huge.yaml", flow(", { on_error: internal.step_error, to: instead }"));
    const result = await run("huge.yaml", options({ steps: [huge] }));
    expect(result).toMatchObject({ status: "completed", output: { instead: "internal.step_error" } });
  });

  it("ends a run that does not route it, and the run is resumed behind the mended step", async () => {
    put("huge.yaml", flow(""));
    const broken = await run("huge.yaml", options({ steps: [huge] }));
    expect(broken).toMatchObject({
      status: "failed",
      errors: [{ kind: "internal.step_error", raised_at: { node: "make" } }],
    });
    put("huge.yaml", flow("", "no"));
    const mended = await resume(broken.run_id ?? "", options({ steps: [huge] }));
    expect(mended).toMatchObject({ status: "completed" });
  });
});
