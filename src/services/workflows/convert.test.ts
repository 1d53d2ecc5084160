import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import { SEMANTICS } from "../../language/schema/semantics.ts";
import { convertToSteps } from "./convert.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

function convert(
  text: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  ground.write({ "w.yaml": text, ...files });
  return convertToSteps({ ...ground.session, env: { ...ground.session.env, ...env } }, { file: "w.yaml" });
}

const HEAD = "workflow: { name: w, entry_point: a, limits: { max_iterations: 20 } }\n";

describe("convert --to steps", () => {
  it("keeps comments and layout, and adds a field for each difference", () => {
    const { text } = convert(`# A pipeline.
workflow:
  name: w   # its name
  entry_point: build
  limits:
    timeout_seconds: 60
agents:   # the steps
  - name: build
    type: script
    command: make   # makes it
    # what comes then
    routes:
      - { to: each, when: exit_code == 0 }
      - to: each
  - { name: note, prompt: "Say {{ build.output.stdout }}" }  # short
  - prompt: |
      Long
      text
    name: late
for_each:
  - name: each
    type: for_each
    source: "{{ [1, 2] }}"
    as: n
    failure_mode: continue_on_error
    agent: { name: item, type: script, command: sh, raises: [] }
    routes: [{ to: note }]
`);
    expect(text).toBe(`# A pipeline.
workflow:
  name: w   # its name
  entry_point: build
  limits:
    timeout_seconds: 60
    max_iterations: 10
steps:   # the steps
  - name: build
    type: script
    command: make   # makes it
    ok_exit_codes: any
    # what comes then
    routes:
      - { to: each, when: exit_code == 0 }
      - to: each
  - { name: note, schema_violation: data, prompt: "Say {{ build.output.stdout }}" }  # short
  - prompt: |
      Long
      text
    name: late
    schema_violation: data
for_each:
  - name: each
    type: for_each
    source: "{{ [1, 2] }}"
    as: n
    failure_mode: continue_on_error
    failed_items: omit
    agent: { name: item, type: script, command: sh, raises: [] }
    routes: [{ to: note }]
`);
  });

  it.each([
    [
      "without limits",
      "workflow: { name: w, entry_point: a }\n",
      "workflow: { name: w, limits: { max_iterations: 10 }, entry_point: a }\n",
    ],
    [
      "with empty limits",
      "workflow:\n  name: w\n  entry_point: a\n  limits: {}\n",
      "workflow:\n  name: w\n  entry_point: a\n  limits: { max_iterations: 10 }\n",
    ],
    [
      "with limits of nothing",
      "workflow:\n  name: w\n  entry_point: a\n  limits:\n",
      "workflow:\n  name: w\n  entry_point: a\n  limits: { max_iterations: 10 }\n",
    ],
    [
      "with lines of Windows",
      "workflow:\r\n  name: w\r\n  entry_point: a\r\n",
      "workflow:\r\n  name: w\r\n  limits: { max_iterations: 10 }\r\n  entry_point: a\r\n",
    ],
    ["with a limit of its own", HEAD, HEAD],
  ])("writes Conductor's limit into a file %s", (_, head, expected) => {
    const steps = "[{ name: a, type: set, value: 1 }]\n";
    expect(convert(`${head}agents: ${steps}`).text).toBe(`${expected}steps: ${steps}`);
  });

  it.each([
    ["an opt-in of the step", "  - { name: a, type: script, command: make, raises: [] }\n"],
    [
      "a field that says so already",
      "  - { name: a, type: script, command: make, ok_exit_codes: [0, 3], raises: [] }\n",
    ],
    ["nothing that could fail like that", '  - { name: a, type: set, value: "{{ 1 }}" }\n'],
  ])("adds no field where there is %s", (_, steps) => {
    expect(convert(`${HEAD}agents:\n${steps}`).text).toBe(`${HEAD}steps:\n${steps}`);
  });

  it("says of a value that it shows how it differs", () => {
    const { success, warnings } = convert(
      `${HEAD}agents:\n  - { name: a, type: script, command: make }\noutput: { code: "{{ a.output.exit_code }}" }\n`,
    );
    expect({ success, warnings }).toMatchObject({
      success: true,
      warnings: [{ location: { line: 4 }, message: /-9.*137/ }],
    });
  });

  const script = (when: string) =>
    `  - { name: a, type: script, command: make, routes: [{ to: $end, when: "${when}" }, { to: $end }] }\n`;
  it.each([
    ["exit_code == 0", true],
    ["exit_code != 0 and exit_code != 12", true],
    ["{{ 3 == a.output.exit_code }}", true],
    ["exit_code == -9", false],
    ["exit_code > 0", false],
    ["{{ output.exit_code < 0 }}", false],
    ["exit_code == 137", false],
    ["{{ 0 < output.exit_code }}", false],
    ["{{ output.exit_code in [1, 137] }}", false],
    ["{{ output.exit_code | abs == 9 }}", false],
  ])("of a route with %s", (when, isSame) => {
    const { success, errors } = convert(`${HEAD}agents:\n${script(when)}`);
    expect(success).toBe(isSame);
    if (!isSame) expect(errors).toMatchObject([{ rule: "no-counterpart", location: { file: "w.yaml", line: 3 } }]);
  });

  it("refuses a default that an empty variable would choose between", () => {
    const text = `${HEAD}agents:\n  - { name: a, type: set, value: "\${WHO:-you}" } # \${WHO:-me}\n`;
    for (const env of [{ WHO: "" }, { WHO: "me" }, {}] as Readonly<Record<string, string>>[])
      expect(convert(text, {}, env)).toMatchObject({
        success: false,
        exit_code: 2,
        errors: [{ location: { line: 3, column: 34 }, message: expect.stringContaining("`${WHO:-}`") }],
      });
    // An empty default is empty in both.
    expect(convert(text.replace(":-you", ":-"))).toMatchObject({ success: true, warnings: [] });
  });

  it.each([
    ["a file with steps", `${HEAD}steps: [{ name: a, type: set, value: 1 }]\n`, {}, /follows Segno's rules already/],
    ["a file with errors", `${HEAD}agents: [{ name: b, type: set, value: 1 }]\n`, {}, /entry_point|unknown/i],
    [
      "steps of another file",
      `${HEAD}agents: !file list.yaml\n`,
      { "list.yaml": "[{ name: a, type: script, command: make }]\n" },
      /not written out here/,
    ],
    [
      "a step from an anchor",
      `${HEAD}agents:\n  - &s { name: a, type: script, command: make }\nfor_each:\n  - { name: g, type: for_each, source: "{{ [] }}", as: n, agent: { <<: *s, name: b } }\n`,
      {},
      null,
    ],
    [
      "steps that are an alias",
      `${HEAD}agents:\n  - { name: a, type: set, value: 1 }\nfor_each:\n  - { name: g, type: for_each, source: "{{ [] }}", as: n, agent: &s { name: b, type: script, command: make } }\n  - { name: h, type: for_each, source: "{{ [] }}", as: n, agent: *s }\n`,
      {},
      /not written out here|twice|name/,
    ],
  ])("of %s", (_, text, files, refused) => {
    const answer = convert(text, files);
    if (refused === null) expect(answer).toMatchObject({ success: true });
    else expect(`${answer.error} ${JSON.stringify(answer.errors)}`).toMatch(refused);
  });

  it("refuses a step that calls a tool: what its output is depends on the dialect", () => {
    const tool = "  - { name: a, type: mcp, server: s, tool: t }\n";
    const { success, errors } = convert(
      `workflow: { name: w, entry_point: a, runtime: { mcp_servers: { s: { command: none } } } }\nagents:\n${tool}`,
    );
    expect(success).toBe(false);
    expect(errors).toMatchObject([{ rule: "no-counterpart", location: { line: 3 } }]);
  });

  it("knows every difference of the dialects", () => {
    const fields = Object.keys(SEMANTICS.agents) as (keyof typeof SEMANTICS.agents)[];
    // Whoever adds one decides what `convert` makes of it, and writes it down here.
    expect(fields.filter((field) => SEMANTICS.agents[field] !== SEMANTICS.steps[field])).toEqual([
      "failsOnExitCode",
      "failsOnSchemaViolation",
      "raisesEnvelopesInText",
      // Which of an agent's answers this is about is not known: such an answer was a warning, and is an error then.
      "raisesEnvelopesBeforeProse",
      "keepsPlacesOfFailedItems",
      // Refused: no field says it.
      "mcpOutput",
      "raisesToolErrors",
      "variables",
      // Refused by the rules: what such a file says is an error in one with `steps:`.
      "readsOverForeignKeys",
      "passesOverEmptyValues",
      "allowsUnreadableNames",
      // Refused where a condition depends on it.
      "signalCodes",
      // Refused: no field says it.
      "holdsScriptsToOutput",
      "numbersQuestions",
      "framesInstructions",
      "keepsStepOfOptionalInput",
      "trimsAsConductor",
      "patterns",
      "mostIterations",
      "mostVisits",
      "oneShapeOfRetries",
    ]);
  });
});
