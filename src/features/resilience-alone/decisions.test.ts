// Resilience without workflows: each decision of handler, breakers, retries, dead letters and policies, and that it is
// carried out. Through the package's door, with breakers and letters in memory and in a store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  AgentAvailability,
  asRaised,
  CircuitOpenError,
  DeadLetterQueue,
  type DeadLetterQueueOptions,
  definePolicy,
  ErrorHandler,
  type ErrorHandlerOptions,
  type FailedWork,
  MaxConcurrentTasks,
  PhaseGate,
  type PolicyContext,
  PolicyEngine,
  PolicyViolationError,
  RetryPolicy,
  raised,
  SpendLimit,
  TaskTimeout,
} from "../../index.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-alone-"));
const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  rmSync(folder, { recursive: true, force: true });
});

const UNAVAILABLE = raised("http.unavailable", "503");
const down = (): never => {
  throw Object.assign(new Error("503"), { statusCode: 503 });
};

describe.each(["in memory", "in a store"])("%s", (where) => {
  let stores = 0;
  const place = (): { store?: string } => (where === "in memory" ? {} : { store: join(folder, String(++stores)) });

  function queue<Context>(options: DeadLetterQueueOptions = {}): DeadLetterQueue<Context> {
    const made = new DeadLetterQueue<Context>({ ...place(), ...options });
    opened.push(made);
    return made;
  }

  /** A handler whose clock moves when it waits. */
  function world({ breakers = {}, ...options }: ErrorHandlerOptions = {}) {
    let now = Date.now();
    const waits: number[] = [];
    const clock = {
      now: () => now,
      sleep: async (ms: number) => {
        waits.push(ms);
        now += ms;
      },
    };
    const escalated: string[] = [];
    const handler = new ErrorHandler({
      retry: new RetryPolicy({ maxRetries: 3, initialDelay: 1, jitter: 0 }),
      breakers: { ...place(), ...breakers },
      deadLetters: queue<FailedWork>(),
      onEscalate: ({ error }) => escalated.push(error.kind),
      clock,
      ...options,
    });
    opened.push(handler);
    return { handler, waits, escalated, pass: (seconds: number) => (now += seconds * 1000) };
  }

  const stateStatus = async (handler: ErrorHandler, key: string) => (await handler.breaker(key).state).status;

  it.each([
    ["what may be temporary", UNAVAILABLE, 0, "RETRY"],
    ["the same after two retries", UNAVAILABLE, 2, "RETRY"],
    ["the same after three", UNAVAILABLE, 3, "DEAD_LETTER"],
    ["an error of HTTP that the caller made", Object.assign(new Error("no"), { statusCode: 404 }), 0, "ESCALATE"],
    ["a defect", new TypeError("x is not a function"), 0, "ESCALATE"],
    ["a defect after three retries", new TypeError("x is not a function"), 3, "ESCALATE"],
  ])("handle decides about %s, and does it", async (_, error, attempt, verdict) => {
    const { handler, escalated } = world();
    expect(await handler.handle(error, { agentId: "coding-01", taskId: "task-1", attempt })).toBe(verdict);
    expect([escalated.length, await handler.deadLetters.size()]).toEqual([
      verdict === "ESCALATE" ? 1 : 0,
      verdict === "DEAD_LETTER" ? 1 : 0,
    ]);
  });

  it("an open breaker keeps for later whatever comes, of that key and of no other", async () => {
    const { handler } = world({ breakers: { failureThreshold: 2, recoverySeconds: 60 } });
    const verdicts = [];
    for (const agentId of ["a", "a", "a", "b"])
      verdicts.push(await handler.handle(UNAVAILABLE, { agentId, attempt: 0 }));
    verdicts.push(await handler.handle(new TypeError("defect"), { agentId: "a", attempt: 0 }));
    expect(verdicts).toEqual(["RETRY", "DEAD_LETTER", "DEAD_LETTER", "RETRY", "DEAD_LETTER"]);
    expect([await stateStatus(handler, "a"), await stateStatus(handler, "b")]).toEqual(["open", "closed"]);
  });

  it("a breaker counts failures of health alone, in a row, and not its own refusals", async () => {
    const { handler } = world({ breakers: { failureThreshold: 2 } });
    const heard = async (...errors: unknown[]) => {
      for (const error of errors) await handler.handle(error, { agentId: "a", attempt: 9 });
      return (await handler.breaker("a").state).failures;
    };
    expect(await heard(UNAVAILABLE)).toBe(1);
    // A defect of the caller says nothing, and a refusal is no call.
    expect(await heard(new TypeError("mine"), new CircuitOpenError("a", 3))).toBe(1);
    // A 404 is an answer: what was called is well.
    expect(await heard({ status: 404 })).toBe(0);
    expect(await heard(UNAVAILABLE)).toBe(1);
    expect(await stateStatus(handler, "a")).toBe("closed");
  });

  it("a breaker opens, tries one call when its time has passed, opens again, and closes after two that went well", async () => {
    const { handler, pass } = world({
      retry: new RetryPolicy({ maxRetries: 0 }),
      breakers: { failureThreshold: 1, recoverySeconds: 60 },
    });
    const fine = () => handler.execute("api", () => "fine");
    await expect(handler.execute("api", down)).rejects.toThrow("503");
    const refused = await fine().catch((problem: unknown) => problem);
    expect(refused).toBeInstanceOf(CircuitOpenError);
    expect(asRaised(refused)).toMatchObject({
      kind: "circuit.open",
      details: { breaker: "api", retry_after_seconds: 60 },
    });
    pass(60);
    expect(await stateStatus(handler, "api")).toBe("open");
    await expect(handler.execute("api", down)).rejects.toThrow("503");
    await expect(fine()).rejects.toThrow("is open");
    pass(60);
    // While one is out, the next is refused.
    const inside = await handler.execute("api", () => fine().catch((problem: unknown) => problem));
    expect(inside).toBeInstanceOf(CircuitOpenError);
    expect(await stateStatus(handler, "api")).toBe("half_open");
    expect([await fine(), await stateStatus(handler, "api")]).toEqual(["fine", "closed"]);
  });

  it("execute tries again until it goes well; 3 retries are 4 executions, and then it is kept", async () => {
    const { handler, waits } = world();
    let calls = 0;
    expect(await handler.execute("api", () => (++calls < 3 ? down() : "done"))).toBe("done");
    expect([calls, waits, await handler.deadLetters.size()]).toEqual([3, [1000, 2000], 0]);
    calls = 0;
    const work = (): never => {
      calls += 1;
      return down();
    };
    await expect(handler.execute("other", work, { taskId: "t-9" })).rejects.toThrow("503");
    expect(calls).toBe(4);
    expect(await handler.deadLetters.list()).toMatchObject([
      { error: { kind: "http.unavailable" }, context: { agentId: "other", taskId: "t-9", attempt: 3 } },
    ]);
  });

  it("waits as the policy says, and as long as the other side asked for, up to the longest wait", async () => {
    const { handler, waits } = world();
    await handler.waitBeforeRetry("t", "a", 2);
    for (const retry_after of [20, 600]) {
      const error = raised("http.unavailable", "429", { retry_after });
      await handler.handle(error, { agentId: "a", taskId: "t", attempt: 0 });
      await handler.waitBeforeRetry("t", "a", 0);
    }
    await handler.waitBeforeRetry("t", "a", 0);
    expect(waits).toEqual([4000, 20_000, 60_000, 1000]);
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(handler.waitBeforeRetry("t", "a", 0, { signal })).rejects.toThrow("stopped");
  });

  it("loses nothing when the escalation itself fails", async () => {
    const onEscalate = () => Promise.reject(new Error("pager is down"));
    const { handler } = world({ onEscalate });
    expect(await handler.handle(new Error("defect"), { agentId: "a", attempt: 0 })).toBe("ESCALATE");
    expect((await handler.deadLetters.list()).map(({ error }) => error.message)).toEqual(["defect"]);
  });

  it("a letter is gone when its retry went well, keeps its errors when not, and is never retried twice at once", async () => {
    const letters = queue<{ job: string }>();
    const { id } = await letters.add(new Error("first"), { job: "a" });
    await expect(letters.retry(id, () => Promise.reject(new Error("second")))).rejects.toThrow("second");
    expect(await letters.get(id)).toMatchObject({
      status: "open",
      error: { message: "second" },
      errors: [{ message: "first" }, { message: "second" }],
    });
    const value = await letters.retry(id, async ({ context }) => {
      await expect(letters.retry(id, () => "other")).rejects.toThrow("is being retried");
      return context.job;
    });
    expect([value, await letters.size()]).toEqual(["a", 0]);
    await expect(letters.retry(id, () => "x")).rejects.toThrow("there is no letter");
  });

  it("a letter stays as it was, whatever is done to what was given or what was got", async () => {
    const letters = queue<{ job: { files: string[] } }>();
    const context = { job: { files: ["a"] } };
    const details: Record<string, unknown> = { at: [1] };
    const made = await letters.add(raised("a.b", "first", details), context);
    context.job.files.push("b");
    details.more = true;
    made.context.job.files.push("c");
    for (const letter of [...(await letters.list()), await letters.get(made.id)]) letter?.context.job.files.push("d");
    const again = letters.retry(made.id, ({ context: given }) => {
      given.job.files.push("e");
      throw new Error("again");
    });
    await expect(again).rejects.toThrow("again");
    expect(await letters.get(made.id)).toMatchObject({
      context: { job: { files: ["a"] } },
      error: { message: "again" },
      errors: [{ message: "first", details: { at: [1] } }, { message: "again" }],
    });
  });

  it("a queue that is full drops its oldest letter, and one that is dropped stays so when its retry fails", async () => {
    const letters = queue<number>({ maxSize: 2 });
    for (const at of [1, 2, 3]) await letters.add(new Error("x"), at);
    const [oldest, newest] = await letters.list();
    expect([oldest?.context, newest?.context]).toEqual([2, 3]);
    expect([await letters.drop(oldest?.id ?? ""), await letters.drop("none"), await letters.size()]).toEqual([
      true,
      false,
      1,
    ]);
    const dropped = letters.retry(newest?.id ?? "", async ({ id }) => {
      await letters.drop(id);
      throw new Error("again");
    });
    await expect(dropped).rejects.toThrow("again");
    expect(await letters.list()).toEqual([]);
  });
});

describe("a wrong call", () => {
  it.each([
    [() => new DeadLetterQueue({ maxSize: 0 }), "the option `maxSize` of DeadLetterQueue is a whole number, 1 or more"],
    [() => new DeadLetterQueue({ size: 3 } as never), "DeadLetterQueue has no option `size`. It has store, name"],
    [
      () => new ErrorHandler({ breakers: { failureTreshold: 3 } } as never),
      "the breakers of ErrorHandler has no option",
    ],
    [
      () => new ErrorHandler({ retry: { maxRetries: 3 } } as never),
      "`retry` of ErrorHandler is a RetryPolicy, but an object",
    ],
    [() => new ErrorHandler({ breakers: { store: 3 } } as never), "is a folder, the address of a Postgres"],
  ])("%s", (call, sentence) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(sentence);
  });

  it("is a letter for a store that JSON cannot hold", async () => {
    const letters = new DeadLetterQueue({ store: join(folder, "odd") });
    opened.push(letters);
    await expect(letters.add(new Error("x"), 3n)).rejects.toThrow("data that JSON can hold");
  });
});

describe("a policy", () => {
  const state = (more: object): PolicyContext => ({ workflow_state: { completed: 0, failed: 0, ...more } }) as never;
  const leaving = (completed: number, failed: number): PolicyContext => ({
    ...state({ phase: "build", completed, failed }),
    step: { name: "s", type: "set", phase: "ship" },
  });

  it.each([
    ["4 of 5 run", new MaxConcurrentTasks(), { agent_states: running(4) }, true],
    ["5 of 5 run", new MaxConcurrentTasks(), { agent_states: running(5) }, false],
    ["an hour", new TaskTimeout(), { task: { timeout: 3600 } }, true],
    ["a second more", new TaskTimeout(), { task: { timeout: 3601 } }, false],
    ["no time at all", new TaskTimeout(), { task: { timeout: 0 } }, false],
    ["4 of 5 completed", new PhaseGate(), leaving(4, 1), true],
    ["3 of 4 completed", new PhaseGate(), leaving(3, 1), false],
    ["nothing completed", new PhaseGate(), leaving(0, 0), false],
    ["an agent that is idle", new AgentAvailability(), { agent_state: "IDLE" }, true],
    ["one that runs", new AgentAvailability(), { agent_state: "RUNNING" }, false],
    ["within the budget", new SpendLimit({ usd: 5 }), { spend: { usd: 4, estimate_usd: 1 } }, true],
    ["beyond it", new SpendLimit({ usd: 5 }), { spend: { usd: 4, estimate_usd: 1.1 } }, false],
    ["one that throws", definePolicy({ name: "p", evaluate: () => down() }), {}, false],
    ["one that lacks what it looks at", new TaskTimeout(), {}, true],
  ] as const)("%s: %s", async (_, policy, context, isAllowed) => {
    const engine = new PolicyEngine([policy]);
    const [verdict] = await engine.evaluateAll(context);
    expect([verdict?.allowed, await engine.check(context), (await engine.evaluate(context)).allowed]).toEqual(
      Array(3).fill(isAllowed),
    );
    if (isAllowed) await engine.enforce(context);
    else await expect(engine.enforce(context)).rejects.toBeInstanceOf(PolicyViolationError);
  });

  it("is asked in the order of registration, each once; the first denial ends it, and the list is a copy", async () => {
    const asked: string[] = [];
    const policy = (name: string, isAllowed: boolean) =>
      definePolicy({ name, evaluate: () => asked.push(name) > 0 && isAllowed });
    const engine = new PolicyEngine([policy("a", true), policy("b", false)]).register(policy("c", false));
    await expect(engine.enforce({})).rejects.toMatchObject({ result: { policyName: "b" } });
    expect((await engine.evaluateAll({})).map(({ allowed }) => allowed)).toEqual([true, false, false]);
    expect(asked).toEqual(["a", "b", "a", "b", "c"]);
    engine.policies.pop();
    expect([engine.policies.length, engine.unregister("b"), engine.unregister("b")]).toEqual([3, true, false]);
  });
});

function running(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`agent ${at}`, at % 2 ? "RUNNING" : "running"]));
}

it.each([
  [Object.assign(new Error("x"), { kind: "build.broken", details: { line: 3 } }), "build.broken"],
  [Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "http.network"],
  [new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }), "http.network"],
  [Object.assign(new Error("x"), { name: "TimeoutError" }), "internal.timeout"],
  [{ status: 429 }, "http.unavailable"],
  ["a text", "internal.step_error"],
  [undefined, "internal.step_error"],
])("%o is an error with a kind", (problem, kind) => {
  expect(asRaised(problem).kind).toBe(kind);
});
