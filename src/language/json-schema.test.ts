import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { conductorFiles } from "../../test/compat/conductor-files.ts";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { jsonSchema } from "./json-schema.ts";
import { loadWorkflow } from "./load.ts";
import { STEP_TYPES, TOP_KEYS, workflowFile } from "./schema/index.ts";
import { sectionDefaults } from "./schema/section-defaults.ts";
import { workflowSection } from "./schema/workflow-section.ts";
import { metaOf } from "./schema-at.ts";

type Json = Record<string, unknown>;

const schema = jsonSchema();
const editor = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
const file = (agents: unknown, more: Json = {}): Json => ({
  workflow: { name: "t", entry_point: "a" },
  agents,
  ...more,
});
const step = (fields: Json): Json => file([{ name: "a", ...fields }]);

describe("editors and the loader agree", () => {
  it.each<[string, boolean, Json]>([
    ["a script", true, step({ type: "script", command: "make", args: ["-j", 4], timeout: "2m" })],
    ["a script without a command", false, step({ type: "script" })],
    ["a misspelt key", false, step({ type: "script", command: "x", comand: "x" })],
    [
      "a field of another type",
      false,
      { workflow: { name: "t", entry_point: "a" }, steps: [{ name: "a", type: "set", value: 1, command: "x" }] },
    ],
    ["an agent without a type", true, step({ prompt: "hi", model: ["a", "b"] })],
    ["an unknown type", false, step({ type: "scrpt" })],
    [
      "short and long retries",
      true,
      step({ routes: [{ on_error: true, retry: 3 }, { on_error: ["a.b"], retry: { max: 2 } }, { to: "$end" }] }),
    ],
    ["no retries", false, step({ routes: [{ on_error: true, retry: 0 }] })],
    ["an unknown backoff", false, step({ routes: [{ retry: { max: 1, backoff: "slow" } }] })],
    [
      "a nested output",
      true,
      step({ output: { a: { type: "object", properties: { b: { type: "array", items: { type: "string" } } } } } }),
    ],
    [
      "a nested output with a wrong type",
      false,
      step({ output: { a: { type: "object", properties: { b: { type: "text" } } } } }),
    ],
    ["a gate", true, step({ type: "human_gate", prompt: "?", options: [{ label: "Y", value: "y", route: "$end" }] })],
    ["a gate without options", false, step({ type: "human_gate", prompt: "?", options: [] })],
    ["steps", true, { workflow: { name: "t", entry_point: "a" }, steps: [{ name: "a" }] }],
    ["one member", false, file([{ name: "a" }], { parallel: [{ name: "p", agents: ["a"] }] })],
    [
      "a for_each",
      true,
      file([], { for_each: [{ name: "f", type: "for_each", source: "a.output.b", as: "x", agent: { name: "w" } }] }),
    ],
    [
      "a for_each of a broken step",
      false,
      file([], {
        for_each: [{ name: "f", type: "for_each", source: "a.output.b", as: "x", agent: { name: "w", type: "http" } }],
      }),
    ],
    ["no entry point", false, { workflow: { name: "t" }, agents: [{ name: "a" }] }],
    [
      "resilience and policies",
      true,
      {
        workflow: {
          name: "t",
          entry_point: "a",
          resilience: { retry: {}, circuit_breaker: { scope: "provider" } },
          policies: [{ budget: { usd: 5 } }, { phase_gate: null }],
        },
        agents: [{ name: "a" }],
      },
    ],
    [
      "a budget of nothing",
      false,
      { workflow: { name: "t", entry_point: "a", policies: [{ budget: { usd: 0 } }] }, agents: [{ name: "a" }] },
    ],
    [
      "too many iterations",
      false,
      { workflow: { name: "t", entry_point: "a", limits: { max_iterations: 100_001 } }, agents: [{ name: "a" }] },
    ],
    [
      "free metadata and runtime",
      true,
      {
        workflow: { name: "t", entry_point: "a", metadata: { x: [1] }, runtime: { other: 1, provider: "claude" } },
        agents: [{ name: "a" }],
      },
    ],
    ["an unknown top-level key", false, file([{ name: "a" }], { agnets: [] })],
  ])("on %s", (_what, accepted, value) => {
    const { findings } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": JSON.stringify(value) }));
    expect(findings.some((one) => one.severity === "error")).toBe(!accepted);
    expect(editor.safeParse(value).success).toBe(accepted);
  });

  it("on Conductor's examples", () => {
    for (const { name, text } of conductorFiles()) {
      const value: unknown = parse(text, { logLevel: "silent" });
      expect(editor.safeParse(value).error?.issues ?? [], name).toEqual([]);
    }
  });
});

describe("the schema", () => {
  it("says what it is", () => {
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Segno workflow",
      type: "object",
      required: ["workflow"],
    });
    expect(JSON.stringify(schema)).not.toMatch(/"(expects|scalars|unsupported)"/);
  });

  it("describes every field of every step type", () => {
    const undescribed = Object.entries(STEP_TYPES).flatMap(([type, entry]) =>
      Object.entries(entry.schema().shape).flatMap(([key, field]) =>
        metaOf(field as z.ZodType).description ? [] : [`${type}.${key}`],
      ),
    );
    expect(undescribed).toEqual([]);
  });

  it("knows the keys of a file", () => {
    expect([...TOP_KEYS].filter((key) => key !== "steps").sort()).toEqual(Object.keys(workflowFile().shape).sort());
  });

  it("gives a section that is left out the defaults that an empty one has", () => {
    const { name, entry_point, ...whole } = workflowSection().parse({ name: "t", entry_point: "a" });
    expect(whole).toMatchObject(JSON.parse(JSON.stringify(sectionDefaults)));
    for (const [key, value] of Object.entries(sectionDefaults))
      expect(whole[key as keyof typeof whole], key).toEqual(value);
  });

  it("gives examples that fit", () => {
    const misfits: string[] = [];
    for (const [type, entry] of Object.entries(STEP_TYPES))
      for (const [key, field] of Object.entries(entry.schema().shape))
        for (const example of ((field as z.ZodType).meta()?.examples ?? []) as unknown[])
          if (!(field as z.ZodType).safeParse(example).success)
            misfits.push(`${type}.${key}: ${JSON.stringify(example)}`);
    expect(misfits).toEqual([]);
  });
});
