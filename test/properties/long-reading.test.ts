// Runs are read in few bytes: visits that went well are kept as numbers, spans and scenes are made as they are written, and
// what a resume would do is read from a keyframe. Random runs read so and as a whole give the same answers.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { VisitFold } from "../../src/base/events/visits/visit-fold.ts";
import { jsonPieces, LazyList } from "../../src/base/json/pieces.ts";
import type { Span } from "../../src/features/telemetry/trace/span.ts";
import { traceOf, treesOf } from "../../src/features/telemetry/trace/spans-of.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { runEvents } from "../../src/services/runs/runs.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { Playground } from "../support/play.ts";
import { runs } from "../support/property-runs.ts";
import { CHILD, flowOf, ownStep, step } from "../support/random-flow.ts";

it("gives the same spans, the same story and the same plan of a resume", async () => {
  let [planned, visits] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
      async (steps, stops) => {
        const ground = new Playground();
        try {
          ground.write({ "flow.yaml": flowOf(steps), "child.yaml": CHILD });
          const env = { ...ground.session.env, SEGNO_KEYFRAMES: "1" };
          const calls = new Map<string, number>();
          let run = "";
          for (const stopAfter of stops) {
            const stop = new AbortController();
            let count = 0;
            const clock = { now: () => 0, sleep: async () => {}, after: (): (() => void) => () => {} };
            const extensions = { ...(await extensionsFrom({ steps: [ownStep(calls)] })), clock };
            const ask = async ({ node }: { node: string }) => ({
              kind: "gate" as const,
              additional_input: {},
              value: steps[Number(node.slice(1))]?.option ?? "yes",
            });
            const on = ({ type }: RunEvent) => {
              if (type === "agent_completed" && ++count === stopAfter) stop.abort();
            };
            const more = { env, signal: stop.signal, extensions, ask: ask as never, on };
            const { result } = await (run === "" ? ground.run("flow.yaml", more) : ground.resume(run, more));
            run = result.run_id ?? "";
            const asked = { ...ground.session, run, extensions, now: 0 };
            const told = await explainRun({ ...asked, env }, {});
            expect(told).toEqual(await explainRun({ ...asked, env: { ...env, SEGNO_KEYFRAMES: "off" } }, {}));
            if (told.resume && told.resume.reused.length > 0) planned += 1;
            const events: RunEvent[] = [];
            for await (const event of runEvents(asked, asked)) events.push(event);
            const [long, short] = [folded(events, false), folded(events, true)];
            const trace = traceOf(run, long);
            expect(traceOf(run, short)).toEqual(trace);
            const pieces = jsonPieces(
              new LazyList(() => treesOf(run, short)),
              (part) => JSON.stringify(part, null, 2),
              2,
            );
            expect([...pieces].join("")).toBe(JSON.stringify(trees(trace.spans), null, 2));
            visits += trace.spans.length;
            if (result.checkpoint?.resumable !== true) return;
          }
        } finally {
          ground.close();
        }
      },
    ),
    { numRuns: runs(50), seed: Number(process.env.SEGNO_SEED ?? 1) },
  );
  expect(planned).toBeGreaterThan(3);
  expect(visits).toBeGreaterThan(20);
}, 600_000);

function folded(events: readonly RunEvent[], settles: boolean): VisitFold {
  const fold = new VisitFold({ history: true, settles });
  for (const event of events) fold.add(event);
  return fold;
}

/** From the list of all spans. */
function trees(spans: readonly Span[], parent: string | null = null): readonly unknown[] {
  return spans
    .filter((span) => span.parent === parent)
    .map(({ parent: _, ...span }) => ({
      ...span,
      duration_ms: Date.parse(span.end) - Date.parse(span.start),
      children: trees(spans, span.id),
    }));
}
