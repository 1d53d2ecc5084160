// Groups from end to end: places kept, failures counted, siblings cancelled, handlers in a member's place.
import { describe, expect, it } from "vitest";
import { play } from "../support/play.ts";

const each = (mode: string, agent: string, more = ""): string => `
workflow: { name: case, entry_point: each, limits: { max_iterations: 60 }, input: { xs: { type: array, default: [1, 2, 3] } } }
agents:
  - { name: zero, type: set, values: { n: 0 } }
  - { name: caught, type: set, values: { kind: "{{ each.error.kind }}", group: "{{ each.error.details.group }}" } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: x
    failure_mode: ${mode}
    agent: ${agent}
    routes: [{ to: $end }, { on_error: true, to: caught }]
${more}output: { outputs: "{{ each.outputs }}", failed: "{{ each.failed }}", caught: "{% if caught is defined %}{{ caught.output | tojson }}{% endif %}" }
`;
const failsFor = (n: number, routes = ""): string =>
  `{ name: w, type: script, command: sh, args: [-c, "test {{ x }} != ${n} || echo '{\\"kind\\":\\"item.bad\\",\\"message\\":\\"m\\"}' > \\"$CONDUCTOR_ERROR_OUT\\"; echo '{\\"n\\": {{ x }}}'"]${routes} }`;

describe("a group and its members, for templates", () => {
  const both = `
workflow: { name: case, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: both }] }
  - { name: a, type: set, value: "{{ context.iteration }}" }
  - { name: b, type: set, value: "{{ context.iteration }}" }
  - { name: last, type: set, value: "{{ context.iteration }} {{ context.history | join(' ') }}" }
parallel: [{ name: both, agents: [a, b], routes: [{ to: last, when: "context_iteration == 2" }] }]
output: { members: "{{ both.outputs }}", last: "{{ last.output }}", end: "{{ context.iteration }}" }
`;

  it("count once in context.iteration, and its members see it as it was before", async () => {
    const output = { members: { a: 1, b: 1 }, last: "2 first both", end: 3 };
    expect((await play(both)).result).toMatchObject({ status: "completed", output });
  });

  it("count one by one for max_iterations", async () => {
    const limited = both.replace("entry_point: first", "entry_point: first, limits: { max_iterations: 3 }");
    expect((await play(limited)).result).toMatchObject({ status: "failed", exit_code: 1 });
  });

  it("tell of a failure with the fields that Conductor's files read", async () => {
    const lost = await play(
      each("continue_on_error", failsFor(2)).replace(/^output:.*/m, 'output: { lost: "{{ each.errors }}" }'),
    );
    expect((lost.result.output as { lost: unknown }).lost).toEqual({
      "1": expect.objectContaining({
        kind: "item.bad",
        message: "m",
        item_key: "1",
        exception_type: "ExecutionError",
        suggestion: null,
      }),
    });
    const member = await play(`
workflow: { name: case, entry_point: both }
agents:
  - { name: a, type: set, value: 1 }
  - { name: b, type: set, value: "{{ [] | first }}" }
parallel: [{ name: both, agents: [a, b], failure_mode: continue_on_error }]
output: { lost: "{{ both.errors }}" }
`);
    expect((member.result.output as { lost: unknown }).lost).toEqual({
      b: expect.objectContaining({ agent_name: "b", exception_type: "TemplateError" }),
    });
  });

  it("has keys as Python prints them where they are no strings", async () => {
    const file = each("fail_fast", "{ name: w, type: set, value: '{{ _key }}' }")
      .replace("as: x", "as: x\n    key_by: id")
      .replace(/^output:.*/m, 'output: { outputs: "{{ each.outputs }}" }');
    const inputs = { xs: { value: [{ id: true }, { id: null }, { id: 1.5 }, { id: 7 }, { other: 1 }] } };
    const outputs = { "7": "7", "4": "4", True: "True", None: "None", "1.5": "1.5" };
    const made = (await play(file, { inputs })).result.output as { outputs: Record<string, unknown> };
    expect(Object.keys(made.outputs).sort()).toEqual(Object.keys(outputs).sort());
  });
});

describe("for_each", () => {
  it("reads its items by a name of any letters, as templates do", async () => {
    const named = each("fail_fast", "{ name: w, type: set, value: '{{ 变量 }}' }").replace("as: x", "as: 变量");
    expect((await play(named)).result).toMatchObject({ status: "completed", output: { outputs: [1, 2, 3] } });
  });

  it("runs scripts for items of any key, each with an idempotency key of its own", async () => {
    const script = `{ name: w, type: script, command: sh, args: [-c, 'echo "\\"$SEGNO_IDEMPOTENCY_KEY\\""'] }`;
    const file = each("fail_fast", script)
      .replace("as: x", "as: x\n    key_by: id")
      .replace(/^output:.*/m, 'output: { outputs: "{{ each.outputs }}" }');
    const inputs = { xs: { value: [{ id: "zero\0" }, { id: "zero%00" }, { id: "two\nlines" }] } };
    const { result } = await play(file, { inputs });
    expect(result).toMatchObject({ status: "completed" });
    const told = JSON.stringify(result.output);
    for (const known of ["[zero%00]", "[zero%2500]", "[two%0Alines]"]) expect(told).toContain(known);
  });

  it("runs scripts for items whose keys are longer than an environment takes, each with an idempotency key of its own", async () => {
    const script = `{ name: w, type: script, command: sh, args: [-c, 'echo "\\"$SEGNO_IDEMPOTENCY_KEY\\""'] }`;
    const file = each("fail_fast", script)
      .replace("as: x", "as: x\n    key_by: id")
      .replace(/^output:.*/m, "output: { known: \"{{ each.outputs.values() | map(attribute='stdout') | list }}\" }");
    const long = "j".repeat(200_000);
    const { result } = await play(file, { inputs: { xs: { value: [{ id: `${long}1` }, { id: `${long}2` }] } } });
    expect(result).toMatchObject({ status: "completed" });
    const { known } = result.output as { known: readonly string[] };
    expect(new Set(known).size).toBe(2);
    for (const one of known) expect(one).toMatch(/:each#1\[j{900,1000}%sha256:[0-9a-f]{64}:1/);
  });

  it("keeps every item's place when one fails, and ends degraded", async () => {
    const { result, errorLines } = await play(each("continue_on_error", failsFor(2)).replace("agents:", "steps:"));
    expect(result).toMatchObject({ status: "degraded", success: true, errors: [], output: { failed: 1 } });
    expect((result.output as { outputs: unknown[] }).outputs).toMatchObject([{ n: 1 }, null, { n: 3 }]);
    expect(errorLines).toMatchObject([{ kind: "item.bad" }]);
  });

  it("raises the first error with both counts when all must succeed", async () => {
    const { result } = await play(each("all_or_nothing", failsFor(2)));
    expect(result.output).toMatchObject({
      caught: { kind: "item.bad", group: { name: "each", failed: 1, succeeded: 2 } },
    });
  });

  it("says both counts in the result too when nobody takes its error, and whether it was systemic", async () => {
    const unrouted = (yaml: string): string => yaml.replace(", { on_error: true, to: caught }", "");
    const { result } = await play(unrouted(each("all_or_nothing", failsFor(2))));
    expect(result.errors).toMatchObject([
      { node_id: "w", group: "each", details: { group: { name: "each", failed: 1, succeeded: 2 } } },
    ]);
    const fails = `{ name: w, type: script, command: sh, args: [-c, "exit 1"], raises: [app.no] }`;
    const many = unrouted(each("continue_on_error", fails)).replace("as: x", "as: x\n    stop_on_systemic: true");
    const stopped = (await play(many, { inputs: { xs: { value: Array.from({ length: 30 }, (_, n) => n) } } })).result;
    expect(stopped.errors[0]?.details).toMatchObject({ systemic: true, group: { name: "each" } });
    expect(stopped.errors.filter(({ details }) => details?.systemic)).toHaveLength(1);
  });

  it("lets a handler stand in a member's place: the group never sees a failure", async () => {
    const { result } = await play(each("fail_fast", failsFor(2, ", routes: [{ on_error: item.bad, to: zero }]")));
    expect(result).toMatchObject({ status: "completed", output: { failed: 0 } });
    expect((result.output as { outputs: unknown[] }).outputs[1]).toEqual({ n: 0 });
  });

  it("refuses two items with one key, and names both", async () => {
    const twins = each("fail_fast", "{ name: w, type: set, value: '1' }")
      .replace("as: x", "as: x\n    key_by: id")
      .replace("[1, 2, 3]", "[{ id: a }, { id: a }]");
    const { result } = await play(
      twins.replace("{ on_error: true, to: caught }", "{ on_error: policy.denied, to: caught }"),
    );
    expect(result.errors[0]).toMatchObject({
      kind: "internal.bad_value",
      message: expect.stringMatching(/items 0 and 1.*"a"/),
    });
  });

  it("succeeds with a warning when there is nothing to do", async () => {
    const { result } = await play(each("fail_fast", failsFor(9)), { inputs: { xs: { value: [] } } });
    expect(result).toMatchObject({ status: "completed", output: { outputs: [], failed: 0 } });
    expect(result.warnings.map(({ message }) => message).join()).toMatch(/empty/);
  });

  it("says that a source is no list", async () => {
    const { result } = await play(
      each("fail_fast", failsFor(9))
        .replace("source: workflow.input.xs", "source: workflow.input.xs.length")
        .replace("{ on_error: true, to: caught }", "{ on_error: policy.denied, to: caught }"),
    );
    expect(result.exit_code).not.toBe(0);
  });
});

describe("parallel", () => {
  it("really cancels the siblings when one fails", async () => {
    const { result } = await play(`
workflow: { name: case, entry_point: pair }
agents:
  - { name: slow, type: script, command: sleep, args: ["300"] }
  - { name: fast, type: script, command: sh, args: [-c, "echo '{\\"kind\\":\\"fast.fail\\",\\"message\\":\\"m\\"}' > \\"$CONDUCTOR_ERROR_OUT\\""] }
parallel:
  - { name: pair, agents: [slow, fast], failure_mode: fail_fast }
`);
    expect(result.errors).toMatchObject([{ kind: "fast.fail", node_id: "fast", group: "pair" }]);
    expect(result.execution?.steps[0]?.steps).toMatchObject([
      { node_id: "slow", status: "cancelled" },
      { node_id: "fast", status: "failed" },
    ]);
  });

  it("shows members what was there before, not each other", async () => {
    const { result } = await play(`
workflow: { name: case, entry_point: base }
agents:
  - { name: base, type: set, values: { v: "{{ 4 }}" }, routes: [{ to: both }] }
  - { name: left, type: set, value: "{{ base.output.v * 2 }}" }
  - { name: right, type: set, value: "{{ base.output.v + 1 }}" }
parallel:
  - { name: both, agents: [left, right] }
output: { sum: "{{ both.outputs.left + both.outputs.right }}" }
`);
    expect(result.output).toEqual({ sum: 13 });
  });
});

describe("an item that is lost three files down, below a parallel group", () => {
  const files = {
    "top.yaml": `workflow: { name: top, entry_point: both, input: { regions: { type: array } } }
agents:
  - { name: one, type: workflow, workflow: middle.yaml }
  - { name: two, type: set, value: 1 }
parallel: [{ name: both, agents: [two, one] }]
`,
    "middle.yaml": `workflow: { name: middle, entry_point: each, input: { regions: { type: array } } }
for_each:
  - { name: each, type: for_each, source: workflow.input.regions, as: region, agent: { name: call, type: workflow, workflow: deep.yaml, input_mapping: { region: "{{ region }}" } } }
`,
    "deep.yaml": `workflow: { name: deep, entry_point: hosts, input: { region: { type: string } } }
for_each:
  - name: hosts
    type: for_each
    source: "{{ ['p', 'q'] }}"
    as: host
    failure_mode: continue_on_error
    agent: { name: push, type: script, command: test, args: ["{{ workflow.input.region }}{{ host }}", "!=", badq], raises: [push.bad] }
`,
  };

  it.each([[["bad", "good"]], [["good", "bad"]], [["good", "bad", "good"]]])(
    "makes a run of %j degraded, and names each group on its way",
    async (regions) => {
      const top = files["top.yaml"];
      const { result } = await play(top, { files, inputs: { regions: { value: regions } } });
      expect(result).toMatchObject({ status: "degraded", success: true });
      const item_key = String(regions.indexOf("bad"));
      expect(result.warnings.flatMap(({ items }) => items ?? [])).toEqual([
        { group: "both" },
        { group: "each", item_key },
        { group: "hosts", item_key: "1" },
      ]);
    },
  );
});
