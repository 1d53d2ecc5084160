// Reading without schemas must never differ from reading with them: same definition, and nothing to say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { runs } from "../../../test/support/property-runs.ts";
import type { Mapping } from "../../base/errors/mapping.ts";
import { readBySchema, warnWithoutEffect } from "../by-schema.ts";
import { composeFile } from "../include.ts";
import { Page } from "../page.ts";
import { stepsKeyOf } from "../schema/names.ts";
import { semanticsOf } from "../schema/semantics.ts";
import { sourceFile } from "../tree.ts";
import { quickFile } from "./quick-file.ts";

function pageOf(text: string): Page {
  const world = memoryWorld({});
  const { tree } = composeFile(sourceFile("/w/main.yaml", text), { world, sources: new Map() });
  if (!tree) throw new Error("no YAML");
  const dialect = tree.kind === "mapping" && tree.entries.has("agents") ? "agents" : "steps";
  return new Page(tree, {}, semanticsOf(dialect));
}

/** Whether the file was read without schemas; fails when they read it differently. */
function isReadQuickly(text: string): boolean {
  const page = pageOf(text);
  const value = page.value as Mapping;
  const before = JSON.stringify(value);
  const semantics = semanticsOf(stepsKeyOf(value));
  const quick = quickFile(value, semantics);
  expect(JSON.stringify(value)).toBe(before);
  if (!quick) return false;
  const { definition, paths } = readBySchema(value, page);
  warnWithoutEffect(value, page);
  expect(page.findings).toEqual([]);
  expect(page.standIns).toEqual([]);
  expect(quick.definition).toEqual(definition);
  // The order of keys is seen in what is shown and hashed.
  expect(JSON.stringify(quick.definition)).toBe(JSON.stringify(definition));
  expect([...quick.paths]).toEqual([...paths]);
  return true;
}

const FULL = {
  workflow: {
    name: "full",
    description: "d",
    version: "1",
    entry_point: "sh",
    input: { who: { type: "string", default: "you", secret: true }, n: { type: "number", required: false } },
    metadata: { a: [1, { b: null }] },
    instructions: ["be brief"],
    error_routes: [{ on_error: true, to: "$end" }],
    phases: ["one"],
    limits: { max_iterations: 20, timeout_seconds: "2m", budget_usd: 1.5 },
    context: { mode: "explicit" },
    cost: { show_summary: false, pricing: { m: { input_per_mtok: 1, output_per_mtok: 2 } } },
    hooks: { on_start: "go", on_error: { command: "echo", args: ["x"] } },
    runtime: {
      provider: "openai",
      default_model: "m",
      timeout: 30,
      tool_output: { max_chars: 2000 },
      durability: "power",
    },
    resilience: { dead_letter: true },
    policies: [{ module: "./guard.mjs" }, { policy: "weekdays" }],
  },
  tools: ["t"],
  agents: [
    {
      name: "sh",
      type: "script",
      command: "echo",
      args: ["a"],
      env: { A: "b" },
      timeout: "30s",
      cache: { ttl: "1h" },
      raises: ["a.b"],
      raise_when: [{ when: "exit_code == 2", kind: "a.b", message: "m" }],
      output: {
        deep: { type: "array", items: { type: "object", properties: { x: { type: "number", enum: [1, 2] } } } },
      },
      routes: [
        { on_error: ["a.b", "c.*"], retry: 3 },
        { on_error: "a.b", retry: { max: 2, backoff: "linear" } },
        { on_error: true, halt: "no", output: { x: 1 } },
        { to: "think", when: "exit_code == 0" },
      ],
    },
    { name: "think", prompt: "p", model: "m", timeout_seconds: 5, routes: [{ to: "ask" }] },
    { name: "ask", type: "human_gate", prompt: "?", options: [{ label: "Y", value: "y", route: "$end" }] },
    { name: "ask2", type: "questions", questions: [{ name: "q", text: "?" }] },
    { name: "get", type: "http", url: "http://x", method: "GET", headers: { a: "b" } },
    { name: "call", type: "mcp", server: "s", tool: "t", arguments: { a: 1 } },
    { name: "set", type: "set", values: { a: "{{ 1 }}" } },
    { name: "wait", type: "wait", duration: "2s" },
    { name: "sub", type: "workflow", workflow: "other.yaml", input_mapping: { a: "b" } },
    { name: "stop", type: "terminate", status: "success", reason: "done" },
  ],
  parallel: [{ name: "both", agents: ["sh", "think"], failure_mode: "all_or_nothing" }],
  for_each: [
    { name: "each", type: "for_each", source: "sh.output", as: "x", agent: { name: "w", type: "set", value: "v" } },
  ],
  output: { got: "{{ sh.output }}" },
};

/** Every place in a value, as the keys that lead there. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, one]) =>
    places(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

function changed(value: unknown, path: readonly (string | number)[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  if (rest.length === 0 && to === undefined) delete copy[key];
  else copy[key] = changed(copy[key], rest, to);
  return copy;
}

/** The file with only one of its steps, so that what is unusual about another does not hide it. */
const only = (index: number): Mapping => {
  const { parallel: _, for_each: __, ...rest } = FULL;
  return { ...rest, workflow: { name: "x", entry_point: "x" }, agents: [FULL.agents[index]] };
};
const section = (key: keyof typeof FULL.workflow): Mapping => ({
  workflow: { name: "x", entry_point: "x", [key]: FULL.workflow[key] },
  agents: [{ name: "x", type: "set", value: "1" }],
});
const FILES: readonly Mapping[] = [
  ...FULL.agents.map((_, index) => only(index)),
  ...(Object.keys(FULL.workflow) as (keyof typeof FULL.workflow)[]).map(section),
  { ...section("name"), parallel: FULL.parallel },
  { ...section("name"), for_each: FULL.for_each },
  { workflow: { name: "x", entry_point: "x" }, steps: [{ name: "x", type: "set", value: "1" }], output: FULL.output },
];

describe("a file is read without schemas as with them", () => {
  it.each(FILES.map((file) => [JSON.stringify(file), file]))("%s", (text) => {
    isReadQuickly(text);
  });

  it("whatever is changed in it", () => {
    const odd = [undefined, null, "", "x", "30s", "a.b", 0, 1, 1.5, -1, true, false, [], {}, ["x"], { a: 1 }, [[]]];
    const file = fc.constantFrom(...FILES);
    const change = file.chain((one) =>
      fc.tuple(fc.constant(one), fc.constantFrom(...places(one).slice(1)), fc.constantFrom(...odd)),
    );
    fc.assert(
      fc.property(
        change,
        fc.constantFrom("", "extra", "__proto__", "constructor", "plugins"),
        ([one, path, to], extra) => {
          const into = extra === "" ? one : changed(one, [...path.slice(0, -1), extra], "x");
          const text = JSON.stringify(changed(into, path, to));
          isReadQuickly(text);
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it("in all examples", () => {
    const files = readdirSync("examples", { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".yaml"),
    );
    for (const name of files) isReadQuickly(readFileSync(join("examples", name), "utf8"));
  });
});

describe("what is usual needs no schema", () => {
  it.each([
    ["a script with error routes and a timeout", only(0)],
    ["an agent without a type", only(1)],
    ["a value that is set", only(6)],
    ["a sub-workflow", only(8)],
    ["limits", section("limits")],
    ["a provider by name", section("runtime")],
    ["inputs", section("input")],
    ["a parallel group", { ...section("name"), parallel: FULL.parallel }],
  ])("%s", (_, file) => {
    expect(isReadQuickly(JSON.stringify(file))).toBe(true);
  });
});
