// Resilience over state that is kept in this process or far away: the same happens, in the same order.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";
import type { Policy, PolicyContext } from "./resilience/policy.ts";

const guarded = (resilience: string, more = ""): string => `
workflow: { name: case, entry_point: work, limits: { max_iterations: 30 }, resilience: { ${resilience} }${more} }
agents:
  - { name: work, type: script, command: work, routes: [{ to: $end }] }
output: { made: "{{ work.output.stdout }}" }
`;
const DOWN = raises("external.down");

describe.each([
  ["at once", false],
  ["after a while", true],
])("resilience over state that answers %s", (_, isLate) => {
  it("retries what no route took, and numbers these retries by themselves", async () => {
    const run = new MemoryRun(
      guarded("retry: { max_retries: 2, initial_delay: 3, jitter: 0, retryable: [external.down] }"),
      isLate,
    );
    const { output, recorded } = await run.drive({ scripts: { work: [DOWN, DOWN, "made"] } });
    expect(output).toEqual({ made: "made" });
    expect(recorded("retry_scheduled").map(({ by, nth, delay_seconds }) => [by, nth, delay_seconds])).toEqual([
      ["resilience", 1, 3],
      ["resilience", 2, 6],
    ]);
  });

  it("counts the policy's retries on after a crash", async () => {
    const run = new MemoryRun(
      guarded("retry: { max_retries: 2, initial_delay: 1, jitter: 0, retryable: [external.down] }"),
      isLate,
    );
    await run.drive({ scripts: { work: [DOWN] } });
    run.cutAfter("retry_scheduled", ({ nth }) => nth === 1);
    const { ran, end } = await run.drive({ scripts: { work: [DOWN] } });
    expect(ran).toHaveLength(2);
    expect(end.type).toBe("raised");
  });

  it("keeps a letter with all attempts, and settles it when the step succeeds", async () => {
    const run = new MemoryRun(
      guarded("retry: { max_retries: 1, initial_delay: 1, jitter: 0, retryable: [external.down] }, dead_letter: true"),
      isLate,
    );
    const first = await run.drive({ scripts: { work: [DOWN] } });
    expect(first.recorded("dead_lettered")).toMatchObject([{ node: "work", letter: "letter-1" }]);
    expect(run.governance.letterBodies[0]?.body.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const second = await run.drive({ scripts: { work: ["made"] } });
    expect(second.recorded("dead_letter_resolved")).toMatchObject([{ letter: "letter-1" }]);
    expect(run.governance.open.size).toBe(0);
  });

  it("settles a letter only when the journal says so", async () => {
    const run = new MemoryRun(
      guarded("retry: { max_retries: 0, retryable: [external.down] }, dead_letter: true"),
      isLate,
    );
    await run.drive({ scripts: { work: [DOWN] } });
    const written: boolean[] = [];
    const { resolve } = run.governance.letters;
    run.governance.letters.resolve = (place) => {
      written.push(run.journal.some(({ type }) => type === "dead_letter_resolved"));
      return resolve(place);
    };
    await run.drive({ scripts: { work: ["made"] } });
    expect(written).toEqual([true]);
  });

  it("opens a breaker after so many failures, and refuses while it is open", async () => {
    const settings =
      "circuit_breaker: { scope: step, failure_threshold: 2, recovery_timeout: 60, counts: [external.down] }";
    const run = new MemoryRun(
      guarded(`${settings}, retry: { max_retries: 5, initial_delay: 1, jitter: 0, retryable: [external.down] }`),
      isLate,
    );
    const { ran, recorded, end } = await run.drive({ scripts: { work: [DOWN] } });
    expect(ran).toHaveLength(2);
    // The failure that opened it is not retried.
    expect(recorded("retry_scheduled")).toHaveLength(1);
    expect(recorded("circuit_opened")).toMatchObject([{ breaker: "step:case/work", failures: 2 }]);
    expect(end.type).toBe("raised");
  });

  it("gives every slot back", async () => {
    const each = `
workflow: { name: case, entry_point: each, policies: [{ max_concurrent_tasks: { max: 2 } }] }
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2, 3, 4, 5] }}", as: x, max_concurrent: 5, agent: { name: work, type: script, command: work }, routes: [{ to: $end }] }
`;
    const run = new MemoryRun(each, isLate);
    expect((await run.drive({ scripts: { work: [{ seconds: 9 }] } })).ran).toHaveLength(5);
    expect([run.governance.mostTaken, run.governance.taken]).toEqual([2, 0]);
  });

  it("enters an agent on the board, and says how it went", async () => {
    const run = new MemoryRun(
      guarded(
        "retry: { max_retries: 1, initial_delay: 1, retryable: [external.down] }",
        ", policies: [{ agent_availability: {} }]",
      ),
      isLate,
    );
    await run.drive({ scripts: { work: [DOWN, "made"] } });
    expect(run.governance.boardEnds).toEqual([false, true]);
  });

  it("shows a module the same states that built-in policies judge by", async () => {
    const run = new MemoryRun(
      {
        "main.yaml": guarded("retry: {}", ", policies: [{ module: ./look.mjs }, { max_concurrent_tasks: 5 }]"),
        "look.mjs": "",
      },
      isLate,
    );
    const seen: PolicyContext[] = [];
    const look: Policy = {
      name: "look",
      description: "Looks.",
      evaluate: (context) => {
        seen.push(context);
        // Another step begins while it looks.
        run.governance.taken += 1;
        return { allowed: true, policyName: "look" };
      },
    };
    run.governance.policyFrom = ({ module }) => (module === undefined ? undefined : look);
    // As if two steps of other runs were running.
    run.governance.taken = 2;
    const { recorded } = await run.drive();
    const [own, builtIn] = recorded("policy_evaluated")[0]?.verdicts ?? [];
    expect(own).toMatchObject({ policyName: "look" });
    expect(builtIn).toMatchObject({ metadata: { running: 2 } });
    expect(Object.values(seen[0]?.agent_states ?? {})).toEqual(["running", "running"]);
    expect(seen[0]?.agent_state).toEqual({ running_in: [], last_failed: false });
  });
});
