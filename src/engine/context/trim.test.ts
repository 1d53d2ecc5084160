// Fitting a context into `context.max_tokens`.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { WorkflowContext } from "./context.ts";
import type { Trim } from "./trim.ts";

const context = (...sizes: readonly number[]): WorkflowContext => {
  const made = new WorkflowContext({ input: {}, name: "w", description: "", dir: "/w", file: "/w/main.yaml" });
  for (const [index, size] of sizes.entries()) made.succeeded(`s${index}`, { text: "x".repeat(size) });
  return made;
};

const steps = (trimmed: WorkflowContext): string[] => [...trimmed.everything.names()].slice(2);

describe("a context that is too large", () => {
  it.each<[Trim, readonly number[], readonly string[]]>([
    ["drop_oldest", [400, 400, 400], ["s1", "s2"]],
    ["drop_oldest", [10, 10, 4000], ["s2"]],
    ["summarize", [400, 400, 400, 400], ["s2", "s3", "_context_summary"]],
    ["summarize", [4000], ["s0"]],
    ["truncate", [400, 400, 400], ["s0", "s1", "s2"]],
  ])("by %s of %j keeps %j", (strategy, sizes, kept) => {
    const trimmed = context(...sizes);
    trimmed.trim(250, strategy);
    expect(steps(trimmed)).toEqual(kept);
  });

  it("is left alone when it fits", () => expect(context(100, 100).trim(1000, "drop_oldest")).toEqual([]));

  it("has its oldest texts cut to a quarter, but never below 200 characters", () => {
    const trimmed = context(4000, 100);
    expect(trimmed.trim(300, "truncate")).toEqual(["s0"]);
    expect(trimmed.view("s0")).toEqual({ output: { text: `${"x".repeat(1000)}… [truncated]` } });
    expect(trimmed.view("s1")).toEqual({ output: { text: "x".repeat(100) } });
  });

  it("says in a summary what the older half was", () => {
    const trimmed = context(400, 400);
    trimmed.trim(150, "summarize");
    expect(trimmed.view("_context_summary")).toMatchObject({ output: { summary: expect.stringMatching(/^s0: \{/) } });
  });
});

it("a run records what was dropped before a step, and nothing where all of it fits", async () => {
  const file = (most: number): string => `
workflow: { name: w, entry_point: a, context: { max_tokens: ${most} } }
agents:
  - { name: a, type: set, value: "${"x".repeat(800)}", routes: [{ to: b }] }
  - { name: b, type: set, value: "${"y".repeat(800)}", routes: [{ to: c }] }
  - { name: c, type: set, value: "1" }
`;
  const trimmed = async (most: number) => (await new MemoryRun(file(most)).drive()).recorded("context_trimmed");
  expect(await trimmed(10_000)).toEqual([]);
  expect(await trimmed(300)).toEqual([{ agent_name: "c", strategy: "drop_oldest", dropped: ["a"] }]);
});
