// An answer counts for the question it was given to. When that has changed since, people are asked again.
import { expect, test } from "vitest";
import { answerGate } from "../../src/services/gates/gates.ts";
import type { AskedPerson, Listener } from "../../src/services/request.ts";
import { script, Workshop } from "./workshop.ts";

const gate = (prompt: string, options = "[{ value: yes, route: last }, { value: no, route: $end }]"): string => `
workflow: { name: w, entry_point: ask, input: { env: { type: string, default: staging } } }
agents:
  - { name: ask, type: human_gate, prompt: "${prompt}", options: ${options} }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true })}
`;

const ORDINARY = gate("Deploy to {{ workflow.input.env }}?");

/** A run whose gate was answered with yes, from elsewhere or at a terminal, and whose next step then failed. */
async function answered(file: string, by: "cli" | "terminal"): Promise<{ shop: Workshop; run: string }> {
  const shop = new Workshop({ "main.yaml": file });
  const yes = { kind: "gate" as const, value: "yes", additional_input: {}, by: "terminal" };
  const { result } = await shop.run("main.yaml", by === "terminal" ? { ask: async () => yes } : {});
  const run = result.run_id ?? "";
  if (by === "cli") await answerGate(shop.session, { run, value: "yes", inputs: {} });
  expect(shop.marks()).toEqual(["last"]);
  return { shop, run };
}

test.each(["cli", "terminal"] as const)("a yes for staging (%s) is none for production", async (by) => {
  const { shop, run } = await answered(ORDINARY, by);
  const again = (await shop.resume(run, { inputs: { env: { value: "production" } } })).result;
  expect(again.status).toBe("paused");
  expect(shop.marks()).toEqual([]);
  await answerGate(shop.session, { run, value: "yes", inputs: {} });
  expect(shop.marks()).toEqual(["last"]);
});

test.each([
  ["the prompt", gate("Call the deployment off?")],
  [
    "the options",
    gate("Deploy to {{ workflow.input.env }}?", "[{ value: go, route: last }, { value: no, route: $end }]"),
  ],
])("a yes is asked for again when %s changed in the file", async (_, file) => {
  const { shop, run } = await answered(ORDINARY, "cli");
  shop.write({ "main.yaml": file });
  expect((await shop.resume(run)).result.status).toBe("paused");
  expect(shop.marks()).toEqual([]);
});

test("whoever answered a question that has changed since is told that it does not count, and why", async () => {
  const shop = new Workshop({ "main.yaml": ORDINARY });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  shop.write({ "main.yaml": gate("Deploy {{ workflow.input.env }} for good?") });
  const heard: unknown[] = [];
  const on: Listener = ({ type, data }) => type === "warning" && heard.push(data);
  const answer = () => answerGate(shop.session, { run, value: "yes", inputs: {}, as: "alex" }, { on });
  expect(await answer()).toMatchObject({ status: "paused", exit_code: 4 });
  expect(heard).toEqual([{ node: "ask", message: expect.stringContaining('the answer "yes" of ') }]);
  expect(heard).toEqual([{ node: "ask", message: expect.stringContaining("What ask asks has changed since") }]);
  // The next one is given to what is asked now, and nothing is said of it.
  await answer();
  expect(shop.marks()).toEqual(["last"]);
  expect(heard).toHaveLength(1);
});

test("a question that is the same is not asked again", async () => {
  const { shop, run } = await answered(ORDINARY, "cli");
  await shop.resume(run);
  expect(shop.marks()).toEqual(["last"]);
});

test("answers to a list of questions count for that list", async () => {
  const file = (text: string): string => `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: questions, questions: [{ id: q, text: "${text}", required: true }], routes: [{ to: last }] }
  - ${script("last", "routes: [{ to: $end }]", { mayFail: true })}
`;
  const shop = new Workshop({ "main.yaml": file("Which version?") });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  await answerGate(shop.session, { run, value: "completed", inputs: { q: "1.0" } });
  expect(shop.marks()).toEqual(["last"]);
  shop.write({ "main.yaml": file("Which customer?") });
  expect((await shop.resume(run)).result.status).toBe("paused");
  expect(shop.marks()).toEqual([]);
});

test("a required question is not answered by nothing", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: questions, questions: [{ id: a, text: "A?", required: true }, { id: b, text: "B?" }] }
`,
  });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  const answer = (a: string) => answerGate(shop.session, { run, value: "done", inputs: { a } });
  expect(await answer(" ")).toMatchObject({ exit_code: 2, error: expect.stringContaining("a must be answered") });
  expect(await answer("x")).toMatchObject({ status: "completed" });
});

test("an answer is not kept when its choices, or what was said above the list, have changed", async () => {
  const file = (choices: string, prompt = "For staging"): string => `
workflow: { name: w, entry_point: ask }
agents:
  - name: ask
    type: questions
    prompt: ${prompt}
    questions: [{ id: a, text: "Which?", choices: [${choices}], allow_free_text: false }, { id: b, text: "And?" }]
`;
  const shop = new Workshop({ "main.yaml": file("x, y") });
  const { result } = await shop.run("main.yaml", {
    ask: async (_, _signal, { progress }) => void progress?.answered({ id: "a", answer: "x", source: "choice" }),
  });
  const given: unknown[] = [];
  const look = {
    ask: async (_: unknown, _signal: AbortSignal, { progress }: AskedPerson) => void given.push(progress?.given.length),
  };
  for (const changed of [file("x, y"), file("p, q"), file("x, y", "For production")]) {
    shop.write({ "main.yaml": changed });
    await shop.resume(result.run_id!, look);
  }
  expect(given).toEqual([1, 0, 0]);
});

test("answers that were given before a list was broken off need not be given again", async () => {
  const file = (second: string): string => `
workflow: { name: w, entry_point: ask }
agents:
  - name: ask
    type: questions
    questions: [{ id: a, text: "First?" }, { id: b, text: "${second}" }, { id: c, text: "Third?" }]
`;
  const shop = new Workshop({ "main.yaml": file("Second?") });
  const one = (id: string) => ({ id, answer: `to ${id}`, source: "free_text" as const });
  const { result } = await shop.run("main.yaml", {
    ask: async (_, _signal, { progress }) => {
      progress?.answered(one("a"));
      progress?.answered(one("b"));
      return undefined;
    },
  });
  expect(result.status).toBe("paused");
  const given: unknown[] = [];
  const look = {
    ask: async (_: unknown, _signal: AbortSignal, { progress }: AskedPerson) => void given.push(progress?.given),
  };
  await shop.resume(result.run_id!, look);
  shop.write({ "main.yaml": file("Something else?") });
  await shop.resume(result.run_id!, look);
  expect(given).toEqual([[one("a"), one("b")], [one("a")]]);
  const { result: done, events } = await shop.resume(result.run_id!, {
    ask: async () => ({ kind: "questions", answers: ["a", "b", "c"].map(one), outcome: "completed", by: "test" }),
  });
  expect(done.status).toBe("completed");
  const told = events.flatMap((event) => (event.type === "questions_answered" ? [event.data.id] : []));
  expect(told).toEqual(["a", "b", "b", "c"]);
});
