// Whoever has only /api/openapi.json knows every answer: `Served` holds each of them against it, however a run ended.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { Served } from "../../../test/support/served.ts";
import { until } from "../../../test/support/until.ts";
import { Components } from "./openapi.ts";

const failing = (kind: string, when = "1"): string =>
  `type: script, command: sh, args: [-c, 'test ${when} = 0 && exit; echo "{\\"kind\\":\\"${kind}\\",\\"message\\":\\"no\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1'], raises: [${kind}]`;

const FILES = {
  "completed.yaml": `
workflow: { name: completed, entry_point: first }
agents:
  - { name: first, type: script, command: echo, args: [hello], routes: [{ to: sub }] }
  - { name: sub, type: workflow, workflow: ./inner.yaml }
`,
  "inner.yaml": `
workflow: { name: inner, entry_point: set }
agents:
  - { name: set, type: set, value: 1 }
`,
  "degraded.yaml": `
workflow: { name: degraded, entry_point: all, input: { words: { type: array, default: [1, 0] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.words
    as: word
    failure_mode: continue_on_error
    agent: { name: each, ${failing("item.bad", "{{ word }}")} }
`,
  "terminated.yaml": `
workflow: { name: terminated, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: failed, reason: enough }
`,
  "failed.yaml": `
workflow: { name: failed, entry_point: both }
parallel:
  - name: both
    agents: [one, two]
    failure_mode: all_or_nothing
    routes: [{ to: $end }, { on_error: "*", to: mend }]
agents:
  - { name: one, ${failing("member.one")} }
  - { name: two, type: set, value: 2 }
  - { name: mend, ${failing("mend.bad")} }
`,
  "paused.yaml": `
workflow: { name: paused, entry_point: first }
agents:
  - { name: first, type: set, value: 1, routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: Go on?
    options:
      - { label: Yes, value: yes, route: $end, prompt_for: why }
      - { label: No, value: no, route: $end }
`,
  "questions.yaml": `
workflow: { name: questions, entry_point: ask }
agents:
  - { name: ask, type: questions, questions: [{ id: who, text: Who? }, { id: why, text: Why?, choices: [a, b] }] }
`,
  "cancelled.yaml": `
workflow: { name: cancelled, entry_point: wait }
agents:
  - { name: wait, type: script, command: sleep, args: ["600"] }
`,
};

let served: Served;
const runs: Record<string, string> = {};
beforeAll(async () => {
  served = await Served.start(FILES);
  for (const name of ["completed", "degraded", "terminated", "failed", "paused", "questions"])
    runs[name] = await served.run(`${name}.yaml`);
  const { body } = await served.post("/api/runs", { file: "cancelled.yaml" });
  runs.cancelled = body.run_id;
  const now = async () => (await served.get(`/api/runs/${body.run_id}`)).body;
  await until(async () => (await now()).seq > 2);
  await served.post(`/api/runs/${body.run_id}/cancel`, { seq: body.seq });
  await until(async () => (await now()).status === "cancelled");
});
afterAll(() => served.close());

/** The steps of a result, with those below them. */
const stepsOf = (steps: readonly { node_id: string; type: string; steps?: never[] }[], before = ""): string[] =>
  steps.flatMap(({ node_id, type, steps: below = [] }) => [
    `${before}${node_id}`,
    ...stepsOf(below, type === "workflow" ? `${before}${node_id}/` : before),
  ]);

describe("the description of the interface fits every answer about", () => {
  it.each([
    ["completed", "completed"],
    ["degraded", "degraded"],
    ["terminated", "terminated"],
    ["failed", "failed"],
    ["paused", "paused"],
    ["questions", "paused"],
    ["cancelled", "cancelled"],
  ])("a run of %s.yaml, which is %s", async (name, status) => {
    const run = `/api/runs/${runs[name]}`;
    const { body: result } = await served.get(`${run}/result`);
    expect(result).toMatchObject({ status, workflow: name });
    for (const part of ["", "/events", "/keyframes", "/keyframes?at=3", "/explain", "/trace"])
      expect(await served.get(`${run}${part}`), part).toMatchObject({ status: 200 });
    const steps = stepsOf(result.execution.steps);
    expect(steps).not.toEqual([]);
    for (const step of steps) expect(await served.get(`${run}/steps/${step}`), step).toMatchObject({ status: 200 });
    expect(await served.get(`${run}/steps/not-there`)).toMatchObject({ status: 400 });
  });

  it("results that are told apart by what they hold: an item that was lost, an open gate, an error inside an error", async () => {
    const result = async (name: string) => (await served.get(`/api/runs/${runs[name]}/result`)).body;
    expect((await result("degraded")).warnings).toMatchObject([{ kind: "item.bad", group: "all" }]);
    expect((await result("paused")).gate).toMatchObject({ name: "ask", options: [{ prompt_for: "why" }, {}] });
    expect((await result("questions")).gate).toMatchObject({ kind: "questions" });
    expect((await result("failed")).errors[0]).toMatchObject({ cause: { kind: "member.one", group: "both" } });
  });

  it("workflow files, one with a group whose members raise", async () => {
    for (const file of Object.keys(FILES))
      expect(await served.get(`/api/workflows/${file}`), file).toMatchObject({ status: 200 });
    const { raises } = (await served.get("/api/workflows/failed.yaml")).body;
    const group = raises.find(({ node_id }: { node_id: string }) => node_id === "both");
    expect(group.raises).toContainEqual(expect.objectContaining({ kind: "member.one", of_members: true }));
  });

  it("what all runs have in common", async () => {
    for (const path of [
      "session",
      "runs",
      "errors",
      "gates",
      "letters",
      "breakers",
      "triggers",
      "workers",
      "workflows",
    ])
      expect(await served.get(`/api/${path}`), path).toMatchObject({ status: 200 });
  });

  it("a long value that is not there", async () => {
    expect(await served.get("/api/blobs/sha256:none")).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("two shapes of one name", () => {
  it("cannot both stand in the description: whoever gives the second its name is told", () => {
    const components = new Components();
    const answer = (part: z.ZodType) => z.object({ part });
    const first = z.object({ id: z.string() }).meta({ id: "SameName" });
    expect(components.schemaOf(answer(first)).properties).toEqual({ part: { $ref: "#/components/schemas/SameName" } });
    expect(() => components.schemaOf(answer(first))).not.toThrow();
    const second = z.object({ name: z.string() }).meta({ id: "SameName" });
    expect(() => components.schemaOf(answer(second))).toThrow("two different shapes are called SameName");
    expect(() => new Components().schemaOf(z.object({ first, second }))).toThrow("SameName");
  });

  it("nor one as it is and one inside another", () => {
    const components = new Components();
    components.schemaOf(z.object({ a: z.string() }).meta({ id: "WholeAnswer" }));
    const inside = z.object({ b: z.string() }).meta({ id: "WholeAnswer" });
    expect(() => components.schemaOf(z.object({ inside }))).toThrow("two different shapes are called WholeAnswer");
  });
});
