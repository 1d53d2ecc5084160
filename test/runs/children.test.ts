// Sub-workflows from end to end: what they are given, and what is recorded of them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Playground } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

describe("an input that a child declares as a string", () => {
  const main = (value: string): string => `
workflow: { name: main, entry_point: made }
agents:
  - { name: made, type: set, values: { n: 7, zip: "{{ '0' ~ '1234' }}", list: "[1]", nothing: null }, routes: [{ to: call }] }
  - { name: call, type: workflow, workflow: ./child.yaml, input_mapping: { s: "${value}" } }
output: { said: "{{ call.output.said }}" }
`;
  const child = (fields: string): string => `
workflow: { name: child, entry_point: a, input: { s: ${fields} } }
agents: [{ name: a, type: set, value: "<{{ workflow.input.s }}>{{ workflow.input.s is string }}" }]
output: { said: "{{ a.output }}" }
`;

  it.each([
    ["{{ 1 == 1 }}", "<True>True"],
    ["{{ 1 }}{{ 2 }}", "<12>True"],
    ["{{ made.output.n }}", "<7>True"],
    ["{{ '0' ~ 12 }}", "<012>True"],
    ["42", "<42>True"],
    ["plain", "<plain>True"],
  ])("is given the text of %s", async (value, said) => {
    ground.write({ "main.yaml": main(value), "child.yaml": child("{ type: string }") });
    expect((await ground.run("main.yaml")).result.output).toEqual({ said });
  });

  it.each(["{{ made.output.list }}", "{{ made.output.nothing }}"])(
    "refuses what is no text at all: %s",
    async (value) => {
      ground.write({ "main.yaml": main(value), "child.yaml": child("{ type: string }") });
      const { result } = await ground.run("main.yaml");
      expect(result.errors[0]).toMatchObject({
        kind: "subworkflow.failed",
        details: { error_type: "InputValidation" },
      });
    },
  );

  it("may be null when it is optional", async () => {
    ground.write({
      "main.yaml": main("{{ made.output.nothing }}"),
      "child.yaml": child("{ type: string, required: false }"),
    });
    expect((await ground.run("main.yaml")).result.output).toEqual({ said: "<None>False" });
  });
});

it("a child that holds only a child is recorded as run in a fresh run, and as reused in a resume", async () => {
  const fails = `{ name: last, type: script, command: sh, args: [-c, "exit 1"], raises: [app.no] }`;
  ground.write({
    "main.yaml": `
workflow: { name: main, entry_point: outer }
agents:
  - { name: outer, type: workflow, workflow: ./outer.yaml, routes: [{ to: last }] }
  - ${fails}
`,
    "outer.yaml": `workflow: { name: outer, entry_point: inner }\nagents: [{ name: inner, type: workflow, workflow: ./inner.yaml }]\n`,
    "inner.yaml": `workflow: { name: inner, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n`,
  });
  const told = ({ events }: Awaited<ReturnType<Playground["run"]>>, type: string): string[] =>
    events.flatMap((event) => (event.type === type ? [(event.data as { agent_name: string }).agent_name] : []));
  const first = await ground.run("main.yaml");
  expect(told(first, "agent_completed")).toEqual(["a", "inner", "outer"]);
  expect(told(first, "agent_reused")).toEqual([]);
  const again = await ground.resume(first.result.run_id ?? "");
  expect(told(again, "agent_reused")).toEqual(["a", "inner", "outer"]);
});
