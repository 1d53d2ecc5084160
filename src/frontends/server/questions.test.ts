// What somebody sees of a list of questions once it was answered: what was asked, what was said to it, by whom and when.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { answerGate } from "../../services/gates/gates.ts";
import { personHere } from "../../services/session/people.ts";

const ASKS = `
workflow: { name: asks, entry_point: ask }
agents:
  - name: ask
    type: questions
    prompt: Before we ship
    allow_abort: true
    questions:
      - { id: who, text: "Who ships it?", hint: a name }
      - { id: when, text: "When?", choices: [today, tomorrow] }
`;
const EACH = `
workflow: { name: each, entry_point: all, input: { places: { type: array, default: [ams, lon] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.places
    as: place
    max_concurrent: 2
    agent: { name: ask, type: questions, questions: [{ id: who, text: "Who is in {{ place }}?" }] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "asks.yaml": ASKS, "each.yaml": EACH });
});
afterAll(() => served.close());

const answered = async (run: string, value: string, inputs: Readonly<Record<string, string>>, gate?: string) =>
  answerGate(served.session, { run, value, inputs, ...(gate === undefined ? {} : { gate }) });
const answerOf = async (run: string, query = "") =>
  (await served.get(`/api/runs/${run}/steps/ask${query}`)).body.answer;

it("names who answered, when, and the questions as they were asked", async () => {
  const run = await served.run("asks.yaml");
  expect(await answerOf(run)).toBeNull();
  expect(await answered(run, "", { who: "alex", when: "today" })).toMatchObject({ status: "completed" });
  const { body } = await served.get(`/api/runs/${run}/events?type=questions_completed`);
  expect(await answerOf(run)).toEqual({
    kind: "questions",
    prompt: "Before we ship",
    questions: [
      expect.objectContaining({
        id: "who",
        text: "Who ships it?",
        hint: "a name",
        answer: "alex",
        source: "free_text",
      }),
      expect.objectContaining({ id: "when", choices: ["today", "tomorrow"], answer: "today", source: "choice" }),
    ],
    outcome: "completed",
    answered_by: personHere(),
    at: body.events[0].ts,
  });
});

it("names who called them off", async () => {
  const run = await served.run("asks.yaml");
  await answered(run, "__abort__", {});
  expect(await answerOf(run)).toMatchObject({
    questions: [{ id: "who" }, { id: "when" }],
    outcome: "aborted",
    answered_by: personHere(),
    at: expect.any(String),
  });
});

it("tells the items of a for_each apart, and leaves the one open that nobody answered", async () => {
  const run = await served.run("each.yaml");
  const { body } = await served.get("/api/gates");
  const open = body.gates.filter((gate: { run_id: string }) => gate.run_id === run);
  expect(open).toHaveLength(2);
  await answered(run, "", { who: "alex" }, open[0].key);
  const [ams, lon] = open.map(({ key }: { key: string }) => `?key=${encodeURIComponent(key)}`);
  expect(await answerOf(run, ams)).toMatchObject({ questions: [{ text: "Who is in ams?", answer: "alex" }] });
  expect(await answerOf(run, lon)).toBeNull();
  expect((await served.get(`/api/runs/${run}/steps/ask${lon}`)).body.question).toMatchObject({
    questions: [{ text: "Who is in lon?" }],
  });
});
