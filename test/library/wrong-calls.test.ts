// Whatever a public function is given, it answers with a sentence about what was given, never with an exception of the
// program's insides.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as library from "../../src/index.ts";
import * as workflows from "../../src/library/workflow/index.ts";

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
