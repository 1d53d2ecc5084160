// Whatever a public function is given, it answers with a sentence about what was given, never with an exception of the
// program's insides.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as workflows from "../../../features/typescript/library/index.ts";
import * as library from "../../../index.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-wrong-"));
const segno = library.createSegno({ store: join(folder, "home"), cwd: folder, env: { PATH: process.env.PATH } });
const store = library.openStore(join(folder, "home"));
afterAll(async () => {
  await segno.close();
  rmSync(folder, { recursive: true, force: true });
});
const WRONG = [null, 3, {}, () => {}, Symbol("s")];
const TRIES = [[], ...WRONG.map((one) => [one]), ["x", null], ["x", 3], ["x", "y", null]];
const INSIDES =
  /Cannot (read|destructure|convert|use|mix)|is not (a function|iterable|a constructor|defined)|must be of type|Invalid |ERR_|Received/;

type Call = (...given: readonly unknown[]) => unknown;
const calls = (name: string, of: object): (readonly [string, Call])[] =>
  Object.entries(of).flatMap(([key, value]): (readonly [string, Call])[] => {
    if (typeof value === "function" && /^[a-z]/.test(key)) return [[`${name}${key}`, value as Call]];
    return typeof value === "object" && value !== null && !key.startsWith("~") ? calls(`${name}${key}.`, value) : [];
  });

const clock = { now: () => 0, sleep: async () => {} };
const handler = new library.ErrorHandler({ clock });
const engine = new library.PolicyEngine([new library.TaskTimeout()]);
const letters = new library.DeadLetterQueue();
const breaker = new library.CircuitBreaker("b", {}, clock);
const definition = workflows.defineWorkflow({ name: "w" }).step("a", workflows.wait(1));
const made =
  (Class: never) =>
  (...given: readonly unknown[]) =>
    new (Class as new (...all: unknown[]) => unknown)(...given);

const methods = (name: string, of: object, ...names: readonly string[]): (readonly [string, Call])[] =>
  names.map((one) => [
    `${name}.${one}`,
    (...given) => Reflect.apply((of as Readonly<Record<string, Call>>)[one] as Call, of, given),
  ]);

/** Those that write files, look at the machine, or end the process's script. */
const LEFT = /init$|doctor$|generateScenarios$|^raise$|close$|create/;

const ALL: readonly (readonly [string, Call])[] = [
  ...calls("", library),
  ...calls("segno.", segno),
  ...calls("store.", store),
  ...calls("workflow ", workflows),
  ...calls("definition.", definition),
  ...methods("handler", handler, "handle", "execute", "waitBeforeRetry", "breaker", "decide"),
  ...methods("engine", engine, "evaluate", "evaluateAll", "enforce", "check", "register"),
  ...methods("letters", letters, "retry"),
  ...methods("breaker", breaker, "run"),
  ...methods("policy", new library.RetryPolicy(), "delay"),
  ...Object.entries(library)
    .filter(([name]) => /^[A-Z][a-z]/.test(name) && !name.endsWith("Error"))
    .map(([name, Class]) => [`new ${name}`, made(Class as never)] as const),
];

describe("a wrong call", () => {
  it.each(ALL.filter(([name]) => !LEFT.test(name)))("of %s", async (_, call) => {
    for (const given of TRIES) {
      const answered = async (): Promise<unknown> => {
        const answer = call(...given) as AsyncGenerator | undefined;
        return typeof answer?.next === "function" && Symbol.asyncIterator in answer ? answer.next() : answer;
      };
      const answer = await answered().catch((problem: unknown) => problem);
      const { message, error } = (answer ?? {}) as { readonly message?: unknown; readonly error?: unknown };
      const said = [message, error, (error as { readonly message?: unknown } | null | undefined)?.message];
      expect(said.filter((one) => typeof one === "string" && INSIDES.test(one))).toEqual([]);
    }
  });

  it.each<[string, () => unknown]>([
    [
      "RetryPolicy has no option `maxRetry`. It has maxRetries",
      () => new library.RetryPolicy({ maxRetry: 3 } as never),
    ],
    ["`maxRetries` of RetryPolicy is a number, 0 or more", () => new library.RetryPolicy({ maxRetries: "3" } as never)],
    ["new TaskTimeout takes { max_seconds: a number", () => new library.TaskTimeout({ maxSeconds: 3 } as never)],
    ["a policy has a `name` and a function `evaluate`", () => new library.PolicyEngine([{ name: "p" } as never])],
    ["openStore takes the path of a folder", () => library.openStore(null as never)],
    [
      ".routes of w takes a function that gives a list of routes",
      () => definition.routes((() => [undefined]) as never),
    ],
    ["the step a of parallel is a group", () => workflows.parallel({ a: workflows.parallel({}) } as never)],
    ["script takes an object with its fields, but null was given", () => workflows.script(null as never)],
  ])("says: %s", (sentence, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(sentence);
  });
});

const file = (input: string, value = "1"): string => `
workflow: { name: f, entry_point: a${input} }
steps:
  - { name: a, type: set, value: "${value}", routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: Go on?
    options: [{ label: Yes, value: "yes", route: b }]
  - { name: b, type: set, value: "${value}" }
output: { before: "{{ a.output }}", after: "{{ b.output }}" }
`;
const circle: Record<string, unknown> = {};
circle.again = { circle };
let deep: unknown = 1;
for (let level = 0; level < 20_000; level++) deep = { deep };
const closed = Proxy.revocable({}, {});
closed.revoke();
const boom = (): never => {
  throw new Error("boom");
};

describe("an input that JSON cannot hold is refused as other inputs are, before there is a run:", () => {
  writeFileSync(join(folder, "o.yaml"), file(", input: { o: { type: object }, n: { type: number, default: 1 } }"));
  writeFileSync(join(folder, "any.yaml"), file(""));
  writeFileSync(join(folder, "hidden.yaml"), file(", input: { o: { type: object, secret: true } }"));

  it.each<[string, unknown, string]>([
    ["a BigInt", 10n, "the BigInt 10n"],
    ["a BigInt in an object", { a: [10n] }, "an object with a that JSON cannot hold (`0` is the BigInt 10n)"],
    ["a circle", circle, "an object with again that JSON cannot hold (Converting circular structure to JSON)"],
    ["20 000 levels", deep, "an object with deep that JSON cannot hold (it is nested more than 500 levels deep)"],
    [
      "a getter that throws",
      {
        get a() {
          return boom();
        },
      },
      "an object with a that JSON cannot hold (boom)",
    ],
    ["toJSON that throws", { toJSON: boom }, "an object with toJSON that JSON cannot hold (boom)"],
    [
      "a proxy",
      new Proxy({}, { ownKeys: boom }),
      "an object with fields that cannot be read that JSON cannot hold (boom)",
    ],
    ["a proxy that is gone", closed.proxy, "an object that cannot be read that JSON cannot hold"],
    ["a Map", new Map([["a", 1]]), "an object with no fields that JSON cannot hold (it is a value of the type Map)"],
    [
      "a Set in an object",
      { a: new Set([1]) },
      "an object with a that JSON cannot hold (`a` is a value of the type Set)",
    ],
    ["NaN", Number.NaN, "the number NaN"],
    [
      "Infinity in a list",
      [1, Number.POSITIVE_INFINITY],
      "a list of the number 1 and others that JSON cannot hold (`1` is the number Infinity)",
    ],
    ["a function", () => {}, "a function"],
  ])("%s", async (_, value, what) => {
    const sentence = { message: expect.stringContaining(`the input o is ${what}`) };
    for (const workflow of ["o.yaml", "any.yaml"]) {
      const result = await segno.run(workflow, { inputs: { o: value } });
      expect(result).toMatchObject({ status: "invalid", runId: null, errors: [sentence] });
      const starting = segno.start(workflow, { inputs: { o: value } });
      await expect(starting).rejects.toMatchObject({ name: "NotStartedError", ...sentence });
    }
    expect(await segno.workflows.plan("o.yaml", { inputs: { o: value } })).toMatchObject({ errors: [sentence] });
    expect((await segno.runs.list()).runs).toEqual([]);
  });

  it("one that throws when it is read, beside what else is wrong", async () => {
    const inputs = {
      get o() {
        return boom();
      },
      n: "x",
    };
    const { errors } = await segno.run("o.yaml", { inputs });
    expect(errors.map(({ message }) => message)).toEqual([
      "the input o is what cannot be read (boom); an input is data that JSON can hold",
      expect.stringContaining("the input n must be a number"),
    ]);
  });

  it("a secret, of which nothing is shown", async () => {
    const { errors } = await segno.run("hidden.yaml", { inputs: { o: { hunter2: 10n } } });
    expect(errors[0]?.message).toBe("the input o is not what it must be; an input is data that JSON can hold");
  });

  it("inputs that are no object with fields", async () => {
    for (const inputs of [new Map([["o", {}]]), closed.proxy])
      await expect(segno.run("o.yaml", { inputs: inputs as never })).rejects.toThrow(
        "is an object with inputs by name",
      );
  });
});

it("a Date is the text that JSON makes of it, before a resume as after it", async () => {
  writeFileSync(join(folder, "dated.yaml"), file(", input: { at: { type: string } }", "{{ workflow.input.at }}"));
  const inputs = { at: new Date(0) };
  const { runId } = await segno.run("dated.yaml", { inputs });
  const { output } = await segno.runs.resume(runId ?? "", {
    ask: async () => ({ kind: "gate", value: "yes", additional_input: {} }),
  });
  expect(output).toEqual({ before: inputs.at.toJSON(), after: inputs.at.toJSON() });
  const { errors } = await segno.run("o.yaml", { inputs: { o: inputs.at } });
  expect(errors[0]?.message).toBe('the input o must be an object, and "1970-01-01T00:00:00.000Z" is a string');
});
