// An answer that cannot be driven on with is no answer: the gate waits as before, for everybody.
import { expect, test } from "vitest";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { showRun } from "../../src/services/runs/runs.ts";
import { script, Workshop } from "./workshop.ts";

const flow = (publish: string): string => `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Publish?", options: [{ value: yes, route: publish }, { value: no, route: $end }] }
  - ${script(publish, "routes: [{ to: $end }]")}
`;

async function paused(): Promise<{
  shop: Workshop;
  run: string;
  answer: (value: string) => ReturnType<typeof answerGate>;
}> {
  const shop = new Workshop({ "main.yaml": flow("publish") });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  return { shop, run, answer: (value) => answerGate(shop.session, { run, value, inputs: {} }) };
}

test("a yes that was refused because of the file does not count, and a later no does", async () => {
  const { shop, run, answer } = await paused();
  shop.write({ "main.yaml": flow("publsh") });
  expect(await answer("yes")).toMatchObject({ exit_code: 2, status: "invalid" });
  expect((await listGates(shop.session)).gates).toMatchObject([{ run_id: run, node_id: "ask" }]);
  shop.write({ "main.yaml": flow("publish") });
  expect(await answer("no")).toMatchObject({ status: "completed" });
  expect(shop.marks()).toEqual([]);
});

test("an answer that nobody has gone on with yet is named, not taken for lost", async () => {
  const { shop, run, answer } = await paused();
  const { openStore } = await import("../../src/storage/embedded/store.ts");
  const store = openStore(shop.session.home, { version: "0" });
  const given = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "alex@box" };
  store.state.gates.answer(run, "ask#1", given);
  await store.close();
  expect(await showRun(shop.session, { run })).toMatchObject({
    status: "paused",
    error: "ask is answered, and the run has not gone on yet",
    gate: { answered: true, who: "it is answered already", answer: "the run goes on with the answer that was given" },
  });
  const { exit_code, errors } = await answer("no");
  expect(exit_code).toBe(2);
  expect(errors).toMatchObject([
    { message: 'the gate ask was answered already, by alex@box with "yes"', hint: `To go on: segno resume ${run}` },
  ]);
});

test("who answers after an agent is told so: its user did not answer", async () => {
  const { shop, run, answer } = await paused();
  await answerGate(shop.session, { run, value: "no", inputs: {}, via: "mcp:author" });
  expect((await answer("yes")).errors[0]?.message).toMatch(
    /^the gate ask was answered already, by the agent mcp:author of \S+ with "no", at /,
  );
});

test("an answer that is none of the options is told what each is called and what it is answered by", async () => {
  const labelled = flow("publish").replace("{ value: yes,", "{ value: yes, label: Publish it now,");
  const shop = new Workshop({ "main.yaml": labelled });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  const answer = (value: string) => answerGate(shop.session, { run, value, inputs: {} });
  expect((await answer("publish it")).errors).toMatchObject([
    { message: '"publish it" is none of the options of ask: yes (Publish it now), no' },
  ]);
  expect(await answer(" publish it NOW ")).toMatchObject({ status: "completed" });
});

test("who answers second is told who was first, also before the answer stands in the journal", async () => {
  const { shop, run, answer } = await paused();
  const { openStore } = await import("../../src/storage/embedded/store.ts");
  const store = openStore(shop.session.home, { version: "0" });
  const given = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "alex@box" };
  store.state.gates.answer(run, "ask#1", given);
  // The drive that the answer began: it goes on, and has not asked yet.
  const driven = store.openRun(run);
  const [first] = [...driven.events()];
  const data = {
    outline: { nodes: [] },
    definition_hash: "",
    file_changed: false,
    inputs_changed: [],
    inputs: {},
    system: {},
    drive: 2,
    after: "paused",
    reason: "",
  };
  driven.append([{ ...first, seq: driven.lastSeq + 1, path: [], type: "run_resumed", data } as never]);
  expect((await answer("no")).errors[0]?.message).toBe('the gate ask was answered already, by alex@box with "yes"');
  driven.release();
  store.close();
});
