import { describe, expect, it } from "vitest";
import { compile, compileCondition, resolveFlattened, TemplateError } from "./index.ts";

const context = {
  exit_code: 0,
  score: 7,
  valid: true,
  name: "ada",
  tags: ["x"],
  nothing: null,
  planner: { output: { score: 8, done: false } },
  my_step: { output: { long_field: "v" } },
  workflow: { input: { limit: 3 } },
  context: { iteration: 2 },
};

const test = (source: string): boolean => compileCondition(source).test(context);

describe("a bare condition", () => {
  it.each([
    ["exit_code == 0", true],
    ["score > 5 and valid", true],
    ["score > 5 && !valid", false],
    ["score > 50 || name == 'ada'", true],
    ["not valid or nothing is none", true],
    ["nothing == null", true],
    ["nothing == None and valid == True", true],
    ["!(score > 5)", false],
    ["!valid == false", true],
    ["1 < score < 10", true],
    ["'x' in tags and 'y' not in tags", true],
    ["int('4') + float('0.5') > 4", true],
    ["str(score) == '7' and len(tags) == 1", true],
    ["max(score, 9) == 9 and min([3, 1]) == 1", true],
    ["abs(-2) == 2 and round(2.6) == 3 and bool('') == false", true],
    ["score if valid else 0", true],
    ["tags", true],
    ["''", false],
    ["'false'", true],
    ["name.startswith('a') and name | length == 3", true],
    ["planner.output.score >= 8", true],
  ])("%s is %s", (source, result) => {
    expect(compileCondition(source).bare).toBe(true);
    expect(test(source)).toBe(result);
  });

  it.each([
    ["planner_output_score == 8", true],
    ["planner_output.score == 8", true],
    ["planner_output['done']", false],
    ["my_step_output_long_field == 'v'", true],
    ["workflow_input_limit < 5 and context_iteration == 2", true],
  ])("%s reads a flattened name", (source, result) => {
    expect(test(source)).toBe(result);
  });

  it("raises for a name that does not exist", () => {
    expect(() => test("scroe > 5")).toThrow("'scroe' is not defined");
    expect(() => test("planner_output_scroe > 5")).toThrow("'planner_output_scroe' is not defined");
    expect(() => test("int('x') > 1")).toThrow(TemplateError);
  });

  it("raises for a mistake in the syntax when it is compiled", () => {
    for (const source of ["score >", "score = 5", "a b", "", "score @ 1"]) {
      expect(() => compileCondition(source)).toThrow(TemplateError);
    }
  });

  it("lists what it reads, functions left out", () => {
    expect(compileCondition("len(tags) > 0 and planner_output.score > 1").references).toEqual([
      { path: ["tags"], line: 1, column: 5, guarded: false, needsRoot: false },
      { path: ["planner_output", "score"], line: 1, column: 19, guarded: false, needsRoot: false },
    ]);
  });
});

describe("a condition with braces", () => {
  it.each([
    ["{{ valid }}", true],
    ["{{ not valid }}", false],
    ["{{ exit_code }}", false],
    ["{{ 1 }}", true],
    ["{{ 'No' }}", false],
    ["{{ ' YES ' }}", true],
    ["{{ '' }}", false],
    ["{{ nothing }}", true],
    ["{{ [] }}", true],
    ["{% if valid %}true{% else %}false{% endif %}", true],
    ["{{ score > 5 }} ", true],
  ])("%s is %s", (source, result) => {
    expect(compileCondition(source).bare).toBe(false);
    expect(test(source)).toBe(result);
  });
});

describe("resolveFlattened", () => {
  const paths = new Set(["a", "a.b", "a.b.c_d", "a_b", "a_b.c"]);
  const has = (path: readonly string[]): boolean => paths.has(path.join("."));

  it.each([
    ["a_b_c_d", ["a", "b", "c_d"]],
    ["a_b_c", ["a_b", "c"]],
    ["a_b", ["a_b"]],
    ["a_x", undefined],
    ["a", undefined],
    ["_", undefined],
    [Array(60).fill("a").join("_"), undefined],
  ])("%s", (name, path) => {
    expect(resolveFlattened(name, has)).toEqual(path);
  });
});

describe("identity with a constant", () => {
  it.each([
    ["note is None", { note: null }, true],
    ["note is not None", { note: null }, false],
    ["note is not None", { note: "x" }, true],
    ["ok is True", { ok: true }, true],
    ["ok is False", { ok: true }, false],
  ])("reads %s as Python does", (source, context, expected) => {
    expect(compileCondition(source).test(context)).toBe(expected);
  });
});

describe("operators on bits", () => {
  it.each([
    ["n & 1 == 1  # odd", true],
    ["n | 2 == 7", true],
    ["n ^ 1 == 4", true],
    ["~n == -6", true],
    ["n << 2 == 20 and n >> 1 == 2", true],
    ["(ok & no) == False", true],
    ["list | length > 1", true],
  ])("%s", (source, expected) =>
    expect(compileCondition(source).test({ n: 5, ok: true, no: false, list: [1, 2] })).toBe(expected),
  );

  it("are not there in templates", () => expect(() => compile("{{ n & 1 }}")).toThrow("Unexpected character"));

  it.each(["rand() > 0.5", "randint(3) == 1"])("%s is refused, and told why", (source) =>
    expect(() => compileCondition(source)).toThrow("a run that is resumed"),
  );
});
