// A resume that begins at a keyframe comes to what one that walks through the whole run comes to: random workflows are
// stopped at random moments, and from each of them go on both ways.
import { cpSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import type { Result } from "../../src/base/results/index.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { Playground } from "../support/play.ts";
import { runs } from "../support/property-runs.ts";
import { CHILD, flowOf, ownStep, step } from "../support/random-flow.ts";

it("ends as one that walks through the whole run does, and runs the same steps", async () => {
  let begun = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom("1", "1", "2", "3"),
      async (steps, stops, every) => {
        const ground = new Playground();
        try {
          ground.write({ "flow.yaml": flowOf(steps), "child.yaml": CHILD });
          const kept = calls();
          let target = "";
          for (const stopAfter of [...stops, undefined]) {
            const walked = join(ground.folder, `walked-${stopAfter}`);
            if (target !== "") cpSync(ground.session.home, walked, { recursive: true });
            const before = kept.copy();
            const drive = async (counts: Calls, keyframes: string, home: string) => {
              const stop = new AbortController();
              let count = 0;
              const more = {
                home,
                env: { ...ground.session.env, SEGNO_KEYFRAMES: keyframes },
                signal: stop.signal,
                extensions: {
                  ...(await extensionsFrom({ steps: [ownStep(counts.map)] })),
                  // Nothing takes time, so nothing depends on how fast the machine is.
                  clock: { now: () => 0, sleep: async () => {}, after: (): (() => void) => () => {} },
                },
                ask: (async ({ node }: { node: string }) => ({
                  kind: "gate" as const,
                  value: steps[Number(node.slice(1))]?.option ?? "yes",
                  additional_input: {},
                })) as never,
                on: ({ type }: RunEvent) => {
                  if (type === "agent_completed" && ++count === stopAfter) stop.abort();
                },
              };
              return target === "" ? ground.run("flow.yaml", more) : ground.resume(target, more);
            };
            const first = await drive(kept, every, ground.session.home);
            if (target !== "") {
              const second = await drive(before, "off", walked);
              expect(plain(first.result)).toEqual(plain(second.result));
              expect(kept.map).toEqual(before.map);
              expect(first.errorLines.map(({ kind, raised_at }) => [kind, raised_at])).toEqual(
                second.errorLines.map(({ kind, raised_at }) => [kind, raised_at]),
              );
              if (first.events.some(({ type }) => type === "keyframe_resumed")) begun += 1;
            }
            target = first.result.run_id ?? "";
            if (first.result.checkpoint?.resumable !== true) return;
          }
        } finally {
          ground.close();
        }
      },
    ),
    { numRuns: runs(50), seed: Number(process.env.SEGNO_SEED ?? 1) },
  );
  // It is not held by runs that had no keyframe.
  expect(begun).toBeGreaterThan(3);
}, 600_000);

type Calls = ReturnType<typeof calls>;

const calls = (map = new Map<string, number>()) => ({ map, copy: () => calls(new Map(map)) });

/** What a user would call the result: without times, and without the names of files. */
function plain({ status, exit_code, output, errors, warnings, termination, execution, checkpoint }: Result): unknown {
  const entry = ({ kind, node_id, group, item_key, path, message }: Result["errors"][number]) =>
    [kind, node_id, group, item_key, path, message].join(" ");
  type Shown = NonNullable<Result["execution"]>["steps"][number];
  const shown = ({ node_id, item_key, status: how, kind, cached, attempts, steps = [] }: Shown): readonly string[] => {
    // Inside a container that failed, and is reused whole, a walk shows what an earlier visit did.
    const isReusedFailure = cached && (how === "recovered" || how === "failed");
    return [
      [node_id, item_key, how, kind, cached, attempts].join(" "),
      ...(isReusedFailure ? [] : steps).flatMap((inner) => shown(inner).map((line) => `  ${line}`)),
    ];
  };
  return {
    status,
    exit_code,
    output,
    termination,
    resumable: checkpoint?.resumable,
    errors: errors.map(entry),
    warnings: warnings.map(entry).sort(),
    steps: execution?.steps.flatMap(shown),
  };
}
