// What a model may answer, on the wire: output, an error on purpose, nonsense, a refusal, silence.
import { describe, expect, it } from "vitest";
import type { Answer } from "../fakes/index.ts";
import { modelPlayground, ONE_DOLLAR } from "./model.ts";

const play = modelPlayground();

const file = (fields: string, routes = "[{ to: $end }]"): string => `
workflow: { name: w, entry_point: a, runtime: { provider: claude, default_model: m }, ${ONE_DOLLAR} }
agents:
  - { name: a, prompt: Review., ${fields}, routes: ${routes} }
  - { name: caught, type: set, value: "{{ error.kind }}" }
output: { end: "{{ caught.output if caught is defined else a.output | tojson }}" }
`;

const run = async (text: string, ...answers: readonly Answer[]) => {
  play().answer = ({ index }) => answers[Math.min(index, answers.length - 1)] ?? "ok";
  play().write({ "main.yaml": text });
  return play().run("main.yaml");
};

const caught = "[{ to: $end }, { on_error: '*', to: caught }]";
const typed = "output: { approved: { type: boolean } }";
const envelope = { conductor_error: true, kind: "review.unreadable", message: "the diff is binary" };

describe("an agent with `raises`", () => {
  const raises = `${typed}, raises: [review.unreadable]`;

  it.each<[string, Answer, unknown]>([
    ["its output", { json: { answer_or_error: { approved: true } } }, { approved: true }],
    ["its output without the wrapper", { text: '{"approved": true}' }, { approved: true }],
    ["an error", { json: { answer_or_error: envelope } }, "review.unreadable"],
    ["an error as its whole text", { text: JSON.stringify(envelope) }, "review.unreadable"],
  ])("may answer with %s", async (_, answer, end) => {
    const { result } = await run(file(raises, caught), answer);
    expect(result).toMatchObject({ status: "completed", output: { end } });
    expect(JSON.stringify(play().requests[0]?.schema)).toContain("review.unreadable");
    expect(play().requests[0]?.prompt).toContain("Kinds: review.unreadable");
  });

  it("that raises another kind has broken its word", async () => {
    const { result } = await run(file(raises, caught), { text: JSON.stringify({ ...envelope, kind: "review.other" }) });
    expect(result.output).toEqual({ end: "internal.undeclared_kind" });
  });

  it("that answers with half an error is asked again, and then it is a violation", async () => {
    const half: Answer = { json: { answer_or_error: { conductor_error: true, kind: "Not A Kind", message: "" } } };
    const { result, events } = await run(file(raises, caught), half);
    expect(result.output).toEqual({ end: "internal.schema_violation" });
    expect(events.filter(({ type }) => type === "agent_parse_recovery")).toHaveLength(2);
    expect(play().requests.at(-1)?.prompt).toContain("Not A Kind");
  });
});

describe("an error at the end of free text", () => {
  const text = `I cannot read it.\n\n\`\`\`json\n${JSON.stringify(envelope)}\n\`\`\``;
  const inGroup = `
workflow: { name: w, entry_point: both, runtime: { provider: claude, default_model: m } }
agents:
  - { name: a, prompt: Review. }
  - { name: b, prompt: Review. }
  - { name: caught, type: set, value: "{{ error.kind }}" }
parallel:
  - { name: both, agents: [a, b], routes: ${caught} }
output: { end: "{{ caught.output if caught is defined else none }}" }
`;
  const byDefault = file("description: d").replace(
    "{ name: w,",
    "{ name: w, error_routes: [{ on_error: true, to: caught }],",
  );

  it.each([
    ["its own routes", file("description: d", caught)],
    ["its workflow's error routes", byDefault],
    ["its group's routes", inGroup],
  ])("is raised by an agent that opted in by %s", async (_, yaml) => {
    expect((await run(yaml, { text })).result).toMatchObject({ exit_code: 0, output: { end: "review.unreadable" } });
  });

  it("is text for an agent that did not opt in", async () => {
    const { result } = await run(file("description: d"), { text });
    expect(result).toMatchObject({ exit_code: 0, output: { end: { result: text } }, warnings: [] });
  });

  it("that cannot be used is a warning of the run", async () => {
    const { result } = await run(file("raises: [review.unreadable]"), {
      text: text.replace("review.unreadable", "Unreadable"),
    });
    expect(result.exit_code).toBe(0);
    expect(JSON.stringify(result.warnings)).toMatch(
      /the answer of a holds an error envelope that was not raised: kind/,
    );
  });
});

describe("an answer of the wrong shape", () => {
  it("is asked for again until it fits, and all of it is paid", async () => {
    const { result } = await run(file(typed), "no", { text: '{"approved": "maybe"}' }, { text: '{"approved": false}' });
    expect(result).toMatchObject({ output: { end: { approved: false } }, metrics: { total_cost_usd: 3 } });
  });

  it("fails the run with exit code 1 when nobody opted in", async () => {
    const { result } = await run(file(typed), "never");
    expect(result).toMatchObject({
      status: "failed",
      exit_code: 1,
      errors: [{ kind: "internal.schema_violation", error_type: "ValidationError" }],
      metrics: { total_cost_usd: 3 },
    });
  });
});

describe("a model that does not answer", () => {
  it("but refuses is `provider.rejected`; the refusal is paid too", async () => {
    const { result } = await run(file("system_prompt: s", caught), { refusal: "I will not." });
    expect(result).toMatchObject({ output: { end: "provider.rejected" }, metrics: { total_cost_usd: 1 } });
    expect(play().requests).toHaveLength(1);
  });

  it("is passed over for the next of the list, and what it used stands under its own name", async () => {
    play().answer = ({ model }) => (model === "n" ? "from n" : { status: 503 });
    play().write({
      "main.yaml": file("model: [m, n], retry: { max_attempts: 2, delay_seconds: 0 }").replace(
        "m: { input",
        "n: { input_per_mtok: 200000, output_per_mtok: 0 }, m: { input",
      ),
    });
    const { result, events } = await play().run("main.yaml");
    expect(result).toMatchObject({
      output: { end: { result: "from n" } },
      metrics: { by_model: { n: { cost_usd: 2 } } },
    });
    expect(events.filter(({ type }) => type === "agent_fallback")).toMatchObject([
      { data: { from: "m", to: "n", kind: "provider.exhausted" } },
    ]);
    expect(events.filter(({ type }) => type === "agent_retry")).toHaveLength(1);
  });

  it("in time is stopped by `timeout_seconds`", async () => {
    const { result } = await run(file("timeout_seconds: 1", caught), { fault: "slow_headers" });
    expect(result.output).toEqual({ end: "internal.timeout" });
  });

  it("because its folder is not there was never asked", async () => {
    const { result } = await run(file('working_dir: "no/such"', caught), "ok");
    expect(result.output).toEqual({ end: "internal.bad_value" });
    expect(play().requests).toHaveLength(0);
  });
});
