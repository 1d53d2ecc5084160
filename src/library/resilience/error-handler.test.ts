// Resilience without workflows: the decisions of resilience.md, and that they are done.
import { describe, expect, it } from "vitest";
import { CircuitOpenError } from "../../engine/guard/resilience/index.ts";
import { raised } from "../../errors/index.ts";
import { asRaised } from "./as-raised.ts";
import { DeadLetterQueue } from "./dead-letter-queue.ts";
import { ActingErrorHandler, type ErrorHandlerOptions } from "./error-handler.ts";
import { RollingRetryPolicy } from "./retry-policy.ts";

/** A clock that moves when somebody sleeps. */
function world(options: ErrorHandlerOptions = {}) {
  let now = 0;
  const waits: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      waits.push(ms);
      now += ms;
    },
  };
  const escalated: string[] = [];
  const handler = new ActingErrorHandler({
    retry: new RollingRetryPolicy({ maxRetries: 3, initialDelay: 1, jitter: 0 }),
    onEscalate: ({ error }) => escalated.push(error.kind),
    clock,
    ...options,
  });
  return { handler, waits, escalated, pass: (ms: number) => (now += ms) };
}

const down = (): never => {
  throw Object.assign(new Error("503"), { statusCode: 503 });
};

describe("handle", () => {
  it.each([
    ["what may be temporary", raised("http.unavailable", "503"), 0, "RETRY"],
    ["what was tried often enough", raised("http.unavailable", "503"), 3, "DEAD_LETTER"],
    ["a caller's mistake", Object.assign(new Error("no"), { statusCode: 404 }), 0, "ESCALATE"],
    ["a defect", new TypeError("x is not a function"), 0, "ESCALATE"],
  ])("decides about %s, and does it", async (_, error, attempt, verdict) => {
    const { handler, escalated } = world();
    expect(await handler.handle(error, { agentId: "coding-01", taskId: "task-1", attempt })).toBe(verdict);
    expect([escalated.length, handler.deadLetters.size]).toEqual([
      verdict === "ESCALATE" ? 1 : 0,
      verdict === "DEAD_LETTER" ? 1 : 0,
    ]);
  });

  it("keeps what comes while the breaker of that key is open, and of no other", async () => {
    const { handler } = world({ breakers: { failureThreshold: 2, recoverySeconds: 60 } });
    const error = raised("http.unavailable", "503");
    const verdicts = [];
    for (const agentId of ["a", "a", "a", "b"]) verdicts.push(await handler.handle(error, { agentId, attempt: 0 }));
    expect(verdicts).toEqual(["RETRY", "DEAD_LETTER", "DEAD_LETTER", "RETRY"]);
    expect([handler.breaker("a").state.status, handler.breaker("b").state.status]).toEqual(["open", "closed"]);
  });

  it("loses nothing when the escalation itself fails", async () => {
    const { handler } = world({
      onEscalate: () => {
        throw new Error("pager is down");
      },
    });
    expect(await handler.handle(new Error("defect"), { agentId: "a", attempt: 0 })).toBe("ESCALATE");
    expect(handler.deadLetters.list().map(({ error }) => error.message)).toEqual(["defect"]);
  });
});

describe("waitBeforeRetry", () => {
  it("waits as the policy says, and as long as the other side asked for", async () => {
    const { handler, waits } = world();
    await handler.waitBeforeRetry("t", "a", 2);
    await handler.handle(raised("http.unavailable", "429", { retry_after: 20 }), {
      agentId: "a",
      taskId: "t",
      attempt: 0,
    });
    await handler.waitBeforeRetry("t", "a", 0);
    await handler.waitBeforeRetry("t", "a", 0);
    expect(waits).toEqual([4000, 20_000, 1000]);
  });

  it("rejects when it is stopped", async () => {
    const { handler } = world();
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(handler.waitBeforeRetry("t", "a", 0, { signal })).rejects.toThrow("stopped");
  });
});

describe("execute", () => {
  it("tries again until it goes well", async () => {
    const { handler, waits } = world();
    let calls = 0;
    const value = await handler.execute("api", () => (++calls < 3 ? down() : "done"));
    expect([value, calls, waits, handler.deadLetters.size]).toEqual(["done", 3, [1000, 2000], 0]);
  });

  it("throws the last error after 4 executions, and keeps it", async () => {
    const { handler } = world();
    let calls = 0;
    const work = (): never => {
      calls += 1;
      return down();
    };
    await expect(handler.execute("api", work, { taskId: "t-9" })).rejects.toThrow("503");
    expect(calls).toBe(4);
    expect(handler.deadLetters.list()[0]).toMatchObject({
      error: { kind: "http.unavailable" },
      context: { taskId: "t-9" },
    });
  });

  it("does not call while the breaker is open, and tries one when its time has passed", async () => {
    const { handler, pass } = world({
      retry: new RollingRetryPolicy({ maxRetries: 0 }),
      breakers: { failureThreshold: 1, recoverySeconds: 60, successThreshold: 1 },
    });
    await expect(handler.execute("api", down)).rejects.toThrow("503");
    await expect(handler.execute("api", () => "never")).rejects.toBeInstanceOf(CircuitOpenError);
    pass(60_000);
    expect(await handler.execute("api", () => "again")).toBe("again");
    expect(handler.breaker("api").state.status).toBe("closed");
  });
});

describe("a dead letter", () => {
  it("is gone when it was retried well, keeps its errors when not, and is never retried twice at once", async () => {
    const queue = new DeadLetterQueue<string>({ now: () => 0 });
    const { id } = queue.add(new Error("first"), "job");
    await expect(queue.retry(id, () => Promise.reject(new Error("second")))).rejects.toThrow("second");
    expect(queue.get(id)).toMatchObject({
      status: "open",
      error: { message: "first" },
      errors: [{}, { message: "second" }],
    });
    const first = queue.retry(id, async ({ context }) => context);
    await expect(queue.retry(id, () => "other")).rejects.toThrow("is being retried");
    expect([await first, queue.size]).toEqual(["job", 0]);
    await expect(queue.retry(id, () => "x")).rejects.toThrow("there is no letter");
  });

  it("gives way to newer ones when the queue is full, and can be dropped", () => {
    const queue = new DeadLetterQueue<number>({ maxSize: 2, now: () => 0 });
    for (const at of [1, 2, 3]) queue.add(new Error("x"), at);
    expect(queue.list().map(({ context }) => context)).toEqual([2, 3]);
    expect([queue.drop(queue.list()[0]?.id ?? ""), queue.drop("none"), queue.size]).toEqual([true, false, 1]);
  });
});

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
