// One visit of a node: its attempts, the routes that lead away from it, and what its limits say.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const flow = (fetchRoutes: string, more = ""): string => `
workflow: { name: case, entry_point: fetch, limits: { max_iterations: 20 } }
agents:
  - { name: fetch, type: script, command: fetch, routes: [${fetchRoutes}] }
  - { name: mend, type: script, command: mend, routes: [{ to: $end }] }
${more}output:
  fetched: "{{ fetch.output.stdout if fetch is defined and fetch.output is defined else none }}"
  error: "{{ fetch.error.kind if fetch is defined and fetch.error is defined else none }}"
`;
const DOWN = raises("external.down");
const RETRY = "{ to: $end }, { on_error: external.down, retry: { max: 2, initial_seconds: 5, jitter: 0 } }";

const RESTS = `
workflow: { name: case, entry_point: rest }
agents:
  - { name: rest, type: wait, duration: 30s }
`;

describe("a visit", () => {
  it("counts the attempts of a step that is retried", async () => {
    const run = new MemoryRun(flow(RETRY));
    const { output, recorded } = await run.drive({ scripts: { fetch: [DOWN, DOWN, "ok"] } });
    expect(output).toEqual({ fetched: "ok", error: null });
    expect(recorded("agent_started").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(recorded("retry_scheduled").map(({ nth, max }) => [nth, max])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it("may ask what it raised before, in a template, although it has not run yet", async () => {
    const text =
      "{% if a.error is defined %}{{ a.error.kind }}{% else %}first{% endif %} {{ 1 if a.error.details.n is undefined else 2 }}";
    const file = `
workflow: { name: case, entry_point: a, limits: { max_iterations: 20 } }
steps:
  - { name: a, type: script, command: fetch, args: ["${text}"], routes: [{ to: $end }, { on_error: true, retry: 1 }] }
`;
    const asked: unknown[] = [];
    await new MemoryRun(file).drive({
      scripts: {
        a: [
          (_, args) => {
            asked.push(args);
            return asked.length === 1 ? DOWN : "ok";
          },
        ],
      },
    });
    expect(asked).toEqual([["first 1"], ["external.down 1"]]);
  });

  it("cannot use what it has not raised yet, not even with a default", async () => {
    const file = `
workflow: { name: case, entry_point: a }
steps:
  - { name: a, type: set, value: "{{ a.error.message | default('-') }}" }
`;
    const { recorded } = await new MemoryRun(file).drive();
    expect(recorded("error_raised")[0]?.error).toMatchObject({
      kind: "internal.template_error",
      details: { expression: "a.error.message", missing: "a", suggestions: [] },
    });
  });

  it("waits between attempts, longer each time", async () => {
    const run = new MemoryRun(flow(RETRY));
    const { recorded } = await run.drive({ scripts: { fetch: [DOWN, DOWN, "ok"] } });
    expect(recorded("retry_scheduled").map(({ delay_seconds }) => delay_seconds)).toEqual([5, 10]);
    expect(run.clock.waited).toBe(15_000);
  });

  it("fails with the last error when its retries are used up", async () => {
    const { end, recorded } = await new MemoryRun(flow(RETRY)).drive({ scripts: { fetch: [DOWN] } });
    expect(end).toMatchObject({ type: "raised", node: "fetch", error: { kind: "external.down", attempts: 3 } });
    expect(recorded("error_unhandled")).toMatchObject([{ considered: [{ verdict: "spent" }] }]);
  });

  it("leads to the handler of its error, which sees it", async () => {
    const routes = "{ to: $end }, { on_error: true, to: mend }";
    const { output, ran, recorded } = await new MemoryRun(flow(routes)).drive({ scripts: { fetch: [DOWN] } });
    expect(ran).toEqual(["fetch#1", "mend#1"]);
    expect(output).toMatchObject({ error: "external.down" });
    expect(recorded("error_recovered")).toMatchObject([{ node: "fetch", by: "mend" }]);
  });

  it("is a new one when the step comes round again by way of another", async () => {
    const routes = "{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 1 }, to: mend }";
    const mended = flow(routes).replace(
      "{ name: mend, type: script, command: mend, routes: [{ to: $end }] }",
      "{ name: mend, type: script, command: mend, routes: [{ to: fetch }] }",
    );
    const { ran, output } = await new MemoryRun(mended).drive({ scripts: { fetch: [DOWN, "ok"] } });
    expect(ran).toEqual(["fetch#1", "mend#1", "fetch#2"]);
    expect(output).toEqual({ fetched: "ok", error: null });
  });

  it("gives every attempt an idempotency key of its own, and the same again after a crash", async () => {
    const keys: string[] = [];
    const seen = (answer: ReturnType<typeof raises>) => (attempt: { readonly idempotencyKey: string }) => {
      keys.push(attempt.idempotencyKey);
      return answer;
    };
    const run = new MemoryRun(flow(RETRY));
    await run.drive({ scripts: { fetch: [seen(DOWN), seen("ok")] } });
    expect(keys).toEqual(["run:fetch#1:1", "run:fetch#1:2"]);
    run.cutAfter("agent_started", ({ attempt }) => attempt === 2);
    await run.drive({ scripts: { fetch: [seen("ok")] } });
    expect(keys.at(-1)).toBe("run:fetch#1:2");
  });

  it("numbers the attempt that a crash cut off as one that was made", async () => {
    const run = new MemoryRun(flow(RETRY));
    await run.drive({ scripts: { fetch: ["ok"] } });
    run.cutAfter("agent_started");
    const { recorded } = await run.drive({ scripts: { fetch: ["ok"] } });
    expect(recorded("agent_started").map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("waits only for the rest of a wait that a crash cut off", async () => {
    const run = new MemoryRun(flow(RETRY.replace("initial_seconds: 5", "initial_seconds: 30")));
    await run.drive({ scripts: { fetch: [DOWN, "ok"] } });
    run.cutAfter("retry_scheduled");
    // The first drive waited its 30 seconds through; nothing is left of them.
    const { recorded, output } = await run.drive({ scripts: { fetch: ["ok"] } });
    expect(recorded("retry_awaited")).toEqual([]);
    expect(run.clock.waited).toBe(30_000);
    expect(recorded("agent_started").map(({ attempt }) => attempt)).toEqual([2]);
    expect(output).toMatchObject({ fetched: "ok" });
  });

  it("lasts from the beginning of a wait to its end, whoever drove the run in between", async () => {
    const run = new MemoryRun(RESTS);
    await run.drive();
    run.cutAfter("wait_started");
    // The first drive has waited it through, and nobody takes it up for a while.
    await run.clock.sleep(70_000);
    const { recorded } = await run.drive();
    expect(recorded("agent_completed")).toMatchObject([{ elapsed: 100, output: { waited_seconds: 100 } }]);
  });

  it("does not count the time in which a wait was stopped, nor that before twice", async () => {
    const run = new MemoryRun(RESTS);
    const stop = new AbortController();
    run.clock.after(10_000, () => stop.abort());
    const stopped = await run.drive({ signal: stop.signal });
    expect(stopped.recorded("agent_cancelled")).toMatchObject([{ elapsed: 10 }]);
    await run.clock.sleep(5_000);
    const { recorded } = await run.drive();
    expect(recorded("agent_completed")).toMatchObject([{ elapsed: 15, output: { waited_seconds: 30 } }]);
  });

  it("stops at max_iterations and says which step would be the next", async () => {
    const loop = flow("{ to: fetch }");
    const { end, ran } = await new MemoryRun(loop).drive();
    expect(ran).toHaveLength(20);
    expect(end).toMatchObject({ type: "limit", errorType: "MaxIterationsError", node: "fetch" });
  });

  it("goes on past max_iterations when a person allows more", async () => {
    let rounds = 0;
    const loop = flow("{ to: $end, when: \"{{ output.stdout == 'done' }}\" }, { to: fetch }");
    const { end, recorded } = await new MemoryRun(loop).drive({
      allowMore: 5,
      scripts: { fetch: [() => (++rounds === 23 ? "done" : "more")] },
    });
    expect(end.type).toBe("completed");
    expect(recorded("iteration_limit_resolved")).toEqual([{ additional_iterations: 5 }]);
  });

  it("says why no route matched, and what the conditions saw", async () => {
    const { end } = await new MemoryRun(flow("{ to: $end, when: \"{{ output.stdout == 'yes' }}\" }")).drive();
    expect(end).toMatchObject({ type: "raised", error: { kind: "internal.no_route" } });
    expect(end.type === "raised" && end.error.message).toContain('output.stdout is "ok"');
  });

  it("ends as cancelled, with the step that ran, when the run is interrupted", async () => {
    const stop = new AbortController();
    const run = new MemoryRun(flow("{ to: $end }"));
    const interrupt = () => {
      setImmediate(() => stop.abort(new Error("interrupted")));
      return { hangs: true } as const;
    };
    const { end, recorded } = await run.drive({ signal: stop.signal, scripts: { fetch: [interrupt] } });
    expect(end).toEqual({ type: "cancelled", node: "fetch" });
    expect(recorded("agent_cancelled")).toMatchObject([{ agent_name: "fetch", reason: "interrupted" }]);
  });
});
