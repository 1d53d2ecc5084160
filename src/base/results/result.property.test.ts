// Whatever a run does, its result fits the published schema, adds up, and tells no secret.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../test/support/engine/test-events.ts";
import { runs } from "../../../test/support/property-runs.ts";
import { type Envelope, KINDS } from "../errors/index.ts";
import { apply, initialState } from "../events/state/fold.ts";
import { createRedactor } from "../redact/index.ts";
import { type Result, resultOf, type StepReport } from "./index.ts";
import { resultSchema } from "./schema.ts";

const SECRET = "planted/secret+value";
const NAMES = ["a", "auth", "token", "g", "call"] as const;
const plan = outline(
  "a",
  "auth",
  "token",
  { name: "g", type: "for_each", item: { name: "w", type: "script" } },
  { name: "call", type: "workflow" },
);

const details = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "status_code",
      "command",
      "exit_code",
      "available_fields",
      "expression",
      "missing",
      "suggestions",
      "server",
      "retry_after",
      "group",
    ),
    // zod itself drops a key of this name when it checks a map.
    fc.string({ maxLength: 8 }).filter((key) => key !== "__proto__"),
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constant(`x ${SECRET}`),
    fc.array(fc.string(), { maxLength: 30 }),
    fc.integer(),
  ),
  { maxKeys: 6 },
);
const kinds = fc.oneof(fc.constantFrom(...KINDS.keys()), fc.constant("my.own"));
const envelopes: fc.Arbitrary<Envelope> = fc
  .tuple(fc.constantFrom(...NAMES), kinds, details, fc.string({ minLength: 1 }))
  .map(([node, kind, more, message]) => error(node, kind, more, `${message} ${SECRET}`));

type Deed = (story: Story) => unknown;
const names = fc.constantFrom(...NAMES);
const options = fc.record({
  attempt: fc.integer({ min: 1, max: 4 }),
  output: fc.oneof(fc.jsonValue(), fc.constant({ stdout: SECRET, stderr: SECRET, exit_code: 1 })),
});
const items = fc.constantFrom("0", "1", "x");

const deeds: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(names, options).map(
    ([name, how]): Deed =>
      (story) =>
        story.ran(name, how),
  ),
  names.map(
    (name): Deed =>
      (story) =>
        story.begin(name),
  ),
  fc.tuple(names, envelopes, options).map(
    ([name, raised, how]): Deed =>
      (story) =>
        story.begin(name).fail(name, raised, how),
  ),
  fc.tuple(names, fc.constantFrom("to", "retry", "halt", "propagate"), names).map(
    ([name, action, to]): Deed =>
      (story) =>
        story.routed(name, "k.k", action as "to", to),
  ),
  names.map(
    (name): Deed =>
      (story) =>
        story.retry(name),
  ),
  names.map(
    (name): Deed =>
      (story) =>
        story.reused(name),
  ),
  fc.tuple(names, kinds).map(
    ([name, kind]): Deed =>
      (story) =>
        story.reused(name, { kind }),
  ),
  fc.constant<Deed>((story) =>
    story
      .begin("g", { type: "for_each" })
      .add("for_each_started", { group_name: "g", key: "g#1", item_count: 3, max_concurrent: 1, failure_mode: "x" }),
  ),
  fc.tuple(items, envelopes).map(
    ([item, raised]): Deed =>
      (story) =>
        story
          .begin("w", { key: `g[${item}].w`, group: "g", item })
          .fail("w", raised, { key: `g[${item}].w`, group: "g", item })
          .add("for_each_item_failed", { group_name: "g", item_key: item, index: 1, elapsed: 1, error: raised }),
  ),
  items.map(
    (item): Deed =>
      (story) =>
        story.add("for_each_item_completed", { group_name: "g", item_key: item, index: 0, elapsed: 1 }),
  ),
  fc.boolean().map(
    (failed): Deed =>
      (story) =>
        story.add("for_each_completed", {
          group_name: "g",
          key: "g#1",
          success_count: 1,
          failure_count: 1,
          count: 3,
          elapsed: 1,
          failed,
        }),
  ),
  fc.constant<Deed>((story) =>
    story
      .begin("call", { type: "workflow" })
      .add("subworkflow_started", {
        agent_name: "call",
        key: "call#1",
        slot: "call",
        workflow: "leaf",
        file: "/leaf.yaml",
        inputs: {},
        outline: outline("p"),
      }),
  ),
  envelopes.map(
    (raised): Deed =>
      (story) =>
        story.within(["call"], (inner) =>
          inner.begin("p", { key: "call#1/p#1" }).fail("p", raised, { key: "call#1/p#1" }),
        ),
  ),
  fc.tuple(names, fc.option(fc.double({ min: 0, max: 9, noNaN: true }))).map(
    ([name, cost]): Deed =>
      (story) =>
        story.add("agent_usage", {
          agent_name: name,
          purpose: "answer",
          model: "m",
          input_tokens: 3,
          output_tokens: 1,
          cost_usd: cost,
        }),
  ),
  fc.constant<Deed>((story) =>
    story.add("gate_presented", {
      agent_name: "a",
      key: "a#1",
      prompt: `go? ${SECRET}`,
      options: [{ label: "y", value: "y" }],
    }),
  ),
  fc.string().map(
    (message): Deed =>
      (story) =>
        story.add("warning", { node: null, message: `${message}${SECRET}` }),
  ),
  fc.constant<Deed>((story) => story.resumed(plan)),
);
const ends: fc.Arbitrary<Deed> = fc.oneof(
  fc.jsonValue().map(
    (output): Deed =>
      (story) =>
        story.ended({ output, line: SECRET }, { degraded: output === null }),
  ),
  fc.tuple(names, envelopes).map(
    ([name, raised]): Deed =>
      (story) =>
        story.unhandled(name, raised),
  ),
  fc.constantFrom("MaxIterationsError", "TimeoutError", "Odd").map(
    (type): Deed =>
      (story) =>
        story.stopped(type, `no ${SECRET}`, "a"),
  ),
  fc.constantFrom("success" as const, "failed" as const).map(
    (status): Deed =>
      (story) => {
        const fields = { is_explicit: true, status, termination_reason: SECRET, terminated_by: "a" };
        return status === "success"
          ? story.ended({}, fields)
          : story.stopped("WorkflowTerminated", SECRET, "a", { ...fields, resumable: false });
      },
  ),
  fc.constant<Deed>((story) => story.add("run_paused", { reason: "x", gate: {} })),
  fc.constant<Deed>((story) => story.add("run_cancelled", { reason: SECRET, agent_name: null })),
  fc.constant<Deed>(() => undefined),
);

const artifacts = { events_jsonl: "/r/events.jsonl", errors_jsonl: "/r/errors.jsonl", run_dir: "/r" };
const results: fc.Arbitrary<Result> = fc
  .tuple(fc.array(deeds, { maxLength: 25 }), ends, fc.boolean())
  .map(([done, end, interrupted]) => {
    const story = new Story().started(plan);
    for (const deed of [...done, end]) deed(story);
    return resultOf(story.events.reduce(apply, initialState("01RUN")), {
      redactor: createRedactor({ secrets: [SECRET] }),
      file: "demo.yaml",
      artifacts,
      interrupted,
    });
  });

const everyStep = (steps: readonly StepReport[]): StepReport[] =>
  steps.flatMap((step) => [step, ...everyStep(step.steps ?? [])]);

describe("a result", () => {
  it("fits its schema, word for word", () => {
    fc.assert(
      fc.property(results, (result) => {
        const sent = JSON.parse(JSON.stringify(result));
        expect(resultSchema.parse(sent)).toEqual(sent);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("adds up", () => {
    fc.assert(
      fc.property(results, (result) => {
        const { success, status, exit_code, errors, checkpoint, execution } = result;
        expect(success).toBe(exit_code === 0);
        if (success) expect(errors).toEqual([]);
        if (status === "failed") expect(errors.length).toBeGreaterThan(0);
        expect(checkpoint?.resume !== null).toBe(checkpoint?.resumable);
        expect(execution?.nodes_total).toBe(plan.nodes.length);
        const inFile = new Set(plan.nodes.map(({ name }) => name));
        expect(execution?.nodes_executed).toBe(checkpoint?.completed_nodes.filter((name) => inFile.has(name)).length);
        for (const step of everyStep(execution?.steps ?? [])) {
          if (step.status === "not_executed")
            expect(step).toMatchObject({ duration_ms: null, attempts: 0, cached: false });
          if (status !== "running") expect(step.status).not.toBe("running");
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("tells no secret", () => {
    fc.assert(
      fc.property(results, (result) => {
        expect(JSON.stringify(result)).not.toContain(SECRET);
      }),
      { numRuns: runs(500) },
    );
  });
});
