// Random workflows with groups, children, retries, loops, gates, cancelled and resumed: what was recorded is the same when the
// unchanged file is played with it, and passes as a scenario.
import fc from "fast-check";
import { expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { runs } from "../../../../test/support/property-runs.ts";
import { CHILD, flowOf, ownStep, step } from "../../../../test/support/random-flow.ts";
import { extensionsFrom } from "../../../services/session/extensions.ts";
import { backtest } from "../backtest.ts";
import { recordScenario } from "../record.ts";

it("are the same when they are played, and pass as scenarios", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.option(fc.integer({ min: 1, max: 5 })),
      async (steps, stopAfter) => {
        const ground = new Playground();
        try {
          // Executions that were cut off count: a condition on their number comes out otherwise when nothing is cut off.
          const written = stopAfter === null ? steps : steps.map((one) => ({ ...one, again: false }));
          ground.write({ "flow.yaml": flowOf(written), "child.yaml": CHILD });
          const extensions = {
            ...(await extensionsFrom({ steps: [ownStep()] })),
            clock: { now: () => Date.now(), sleep: async () => {}, after: (): (() => void) => () => {} },
          };
          const here = { ...ground.session, extensions };
          const stop = new AbortController();
          let count = 0;
          const asked = async ({ node }: { node: string }) => ({
            kind: "gate" as const,
            value: steps[Number(node.slice(1))]?.option ?? "yes",
            additional_input: {},
          });
          const { result } = await ground.run("flow.yaml", {
            extensions,
            ask: asked as never,
            signal: stop.signal,
            on: ({ type }) => {
              if (type === "agent_completed" && ++count === stopAfter) stop.abort();
            },
          });
          if (result.run_id === null) expect([result.errors, ground.read("flow.yaml")]).toEqual([]);
          const runId = result.run_id ?? "";
          if (result.status === "cancelled") await ground.resume(runId, { extensions, ask: asked as never });
          const answer = await backtest(here, { file: "flow.yaml", runs: [runId] });
          expect(answer.runs).toMatchObject([{ verdict: "same" }]);
          const recorded = await recordScenario(here, { run: runId, to: "tests/one.scenario.yaml" });
          expect([recorded.error, recorded.errors, recorded.problems]).toEqual([null, [], []]);
        } finally {
          ground.close();
        }
      },
    ),
    { numRuns: runs(50), seed: Number(process.env.SEGNO_SEED ?? 1) },
  );
});
