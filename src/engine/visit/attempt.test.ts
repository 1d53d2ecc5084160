// One attempt: its time limit, its defects, what is recorded of it, and outcomes that other runs kept.
import { describe, expect, it } from "vitest";
import { aWhile } from "../../../test/support/engine/memory-governance.ts";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";
import type { CachedOutcome, KeptOutcome, OutcomeCache } from "../outcome-cache.ts";

const one = (step: string): string => `
workflow: { name: case, entry_point: work, input: { n: { type: number, default: 1 } } }
agents:
  - { name: work, ${step}, routes: [{ to: $end }, { on_error: true, to: after }] }
  - { name: after, type: set, value: "{{ work.error.kind }}: {{ work.error.message }}" }
output: { after: "{{ after.output if after is defined else none }}", work: "{{ work.output if work.output is defined else none }}" }
`;

describe("an attempt", () => {
  it("is ended at its timeout, and the error says how long it took", async () => {
    const run = new MemoryRun(one("type: script, command: work, timeout: 7"));
    // A deadline alone makes no virtual time pass: something waits beside it, however long the step takes to begin.
    const over = new AbortController();
    const beside = (async () => {
      while (!over.signal.aborted) await run.clock.sleep(60_000, over.signal);
    })();
    const { recorded } = await run.drive({ scripts: { work: [{ hangs: true }] } });
    over.abort();
    await beside;
    expect(recorded("error_raised")[0]?.error).toMatchObject({
      kind: "internal.timeout",
      details: { timeout_seconds: 7, elapsed_seconds: 7 },
    });
  });

  it("whose script had exited before the timeout, and was only read on, ends as the script did", async () => {
    const run = new MemoryRun(one("type: script, command: work, timeout: 7"));
    const over = new AbortController();
    const beside = (async () => {
      while (!over.signal.aborted) await run.clock.sleep(60_000, over.signal);
    })();
    const { recorded } = await run.drive({ scripts: { work: [{ exitCode: 3, printsOn: true }] } });
    over.abort();
    await beside;
    expect(recorded("error_raised")[0]?.error).toMatchObject({
      kind: "internal.script_error",
      details: { exit_code: 3 },
    });
  });

  it("that lost its run before it touched the world begins nothing, and no route takes that for an error", async () => {
    const run = new MemoryRun(one("type: script, command: work"));
    const lost = new Error("another process has the run");
    let isReady = false;
    let hasBegun = false;
    const begins = () => {
      hasBegun = true;
      return "ok";
    };
    // Asked as the step begins, and once more when all is prepared: it stood still in between.
    const assertLease = () => {
      if (isReady) return Promise.reject(lost);
      isReady = true;
      return undefined;
    };
    await expect(run.drive({ scripts: { work: [begins] }, assertLease })).rejects.toBe(lost);
    expect(hasBegun).toBe(false);
    expect(run.journal.some(({ type }) => type === "error_raised")).toBe(false);
  });

  it("that threw is a defect of Segno, which a route may still take", async () => {
    const broken = () => {
      throw new TypeError("no such thing");
    };
    const { output } = await new MemoryRun(one("type: script, command: work")).drive({ scripts: { work: [broken] } });
    expect(output).toMatchObject({ after: "internal.step_error: work met a defect in Segno: no such thing" });
  });

  it("records its definition once, however often the step runs", async () => {
    const loop = one("type: script, command: work").replace(
      "routes: [{ to: $end }",
      'routes: [{ to: $end, when: "{{ context.iteration >= 3 }}" }, { to: work }',
    );
    const { recorded } = await new MemoryRun(loop).drive();
    const completed = recorded("agent_completed");
    expect(completed).toHaveLength(3);
    expect(completed.filter(({ definition }) => definition !== undefined)).toHaveLength(1);
  });

  it("does not begin before what led to it is written, also where writing takes a while", async () => {
    const run = new MemoryRun(one("type: script, command: work"), true);
    const written: string[][] = [];
    const look = () => {
      written.push(run.journal.map(({ type }) => type));
      return raises("external.down");
    };
    await run.drive({ scripts: { work: [look] } });
    expect(written).toEqual([["workflow_started", "agent_started"]]);
    expect(run.journal.map(({ type }) => type)).toContain("error_recovered");
  });

  it("whose values cannot be rendered fails without being run", async () => {
    const { ran, output } = await new MemoryRun(
      one('type: script, command: work, args: ["{{ nobody.output }}"]'),
    ).drive();
    expect(ran).toEqual([]);
    expect((output as { after: string }).after).toMatch(/^internal.template_error: .*nobody/);
  });
});

/** Keeps outcomes, at once or after a while. */
function memoryCache(isLate: boolean): OutcomeCache & { readonly kept: Map<string, KeptOutcome> } {
  const kept = new Map<string, KeptOutcome>();
  const given = <Value>(make: () => Value): Value | Promise<Value> => (isLate ? aWhile().then(make) : make());
  const found = (hash: string): CachedOutcome | undefined => {
    const outcome = kept.get(hash);
    return outcome && { ...outcome, runId: "other" };
  };
  return {
    kept,
    get: (hash) => given(() => found(hash)),
    put: (hash, output) => given(() => void kept.set(hash, output)),
  };
}

describe.each([
  ["at once", false],
  ["after a while", true],
])("a cache that answers %s", (_, isLate) => {
  const cached = one('type: script, command: work, args: ["{{ workflow.input.n }}"], cache: { ttl: 60 }');

  it("spares another run the same step", async () => {
    const cache = memoryCache(isLate);
    const first = await new MemoryRun(cached).drive({ cache, scripts: { work: ["made"] } });
    // A step has not ended before its outcome is kept.
    expect(cache.kept.size).toBe(1);
    const second = await new MemoryRun(cached).drive({ cache, scripts: { work: ["made again"] } });
    expect([first.ran, second.ran]).toEqual([["work#1"], []]);
    expect(second.recorded("agent_reused")).toMatchObject([{ from_run: "other", output: { stdout: "made" } }]);
    expect(second.output).toEqual(first.output);
  });

  it("is no help to a step with other inputs, and keeps nothing of a script that exited badly", async () => {
    const cache = memoryCache(isLate);
    await new MemoryRun(cached).drive({ cache });
    const { ran } = await new MemoryRun(cached).drive({
      cache,
      inputs: { n: 2 },
      scripts: { work: [{ exitCode: 1 }] },
    });
    expect(ran).toEqual(["work#1"]);
    expect(cache.kept.size).toBe(1);
  });
});
