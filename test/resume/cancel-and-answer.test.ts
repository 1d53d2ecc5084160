// A gate is answered and its run cancelled in the same moment: what each of the two is told is what becomes of the run.
import { expect, test, vi } from "vitest";
import { answerGate } from "../../src/services/gates/gates.ts";
import { cancelRun } from "../../src/services/runs/cancel.ts";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { EmbeddedStore, openStore } from "../../src/storage/embedded/store.ts";
import { script, Workshop } from "./workshop.ts";

const FLOW = `
workflow: { name: w, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Publish?", options: [{ value: yes, route: publish }, { value: no, route: $end }] }
  - ${script("publish", "routes: [{ to: $end }]")}
`;

const YES = { kind: "gate", value: "yes", additional_input: {}, by: "cli", person: "alex@box" };

async function paused() {
  const shop = new Workshop({ "main.yaml": FLOW });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  const store = openStore(shop.session.home, { version: "0" });
  return {
    shop,
    run,
    store,
    answer: (value: string) => answerGate(shop.session, { run, value, inputs: {} }),
    cancel: () => cancelRun(shop.session, { run }),
  };
}

/** The next process that opens a run to drive it finds that another one has it; then `and` happens. */
function hasItWhenOpened(store: EmbeddedStore, run: string, and: () => void): void {
  const held = store.openRun(run);
  const { openRun } = EmbeddedStore.prototype;
  vi.spyOn(EmbeddedStore.prototype, "openRun").mockImplementationOnce(function (this: EmbeddedStore, ...asked) {
    try {
      return openRun.apply(this, asked);
    } finally {
      held.release();
      and();
    }
  });
}

function append(run: ReturnType<EmbeddedStore["openRun"]>, type: string, data: object): void {
  const [first] = [...run.events()];
  run.append([{ ...first, seq: run.lastSeq + 1, path: [], type, data } as never]);
}

test("an answer does not set a run going that was cancelled meanwhile, and counts when it is resumed", async () => {
  const { shop, run, store, cancel } = await paused();
  store.state.gates.answer(run, "ask#1", YES);
  expect(await cancel()).toMatchObject({ status: "cancelled" });
  const { exit_code, errors } = await resumeRun(shop.session, { target: run, inputs: {}, answers: true });
  expect({ exit_code, errors }).toMatchObject({
    exit_code: 2,
    errors: [
      {
        message: expect.stringMatching(/was cancelled by .*, at 2.*Z: it does not go on, and the answer is kept/),
        hint: `To go on with that answer: segno resume ${run}`,
      },
    ],
  });
  expect(shop.marks()).toEqual([]);
  expect((await shop.resume(run)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["publish"]);
  store.close();
});

test("a cancel that finds another process at the run looks again, and does not recommend itself", async () => {
  const { run, store, cancel } = await paused();
  hasItWhenOpened(store, run, () => {});
  expect(await cancel()).toMatchObject({ status: "cancelled" });
  store.close();
});

test("a run that came to its end while it was being cancelled is not recorded as cancelled", async () => {
  const { run, store, cancel } = await paused();
  const { openRun } = EmbeddedStore.prototype;
  let last = 0;
  vi.spyOn(EmbeddedStore.prototype, "openRun").mockImplementationOnce(function (this: EmbeddedStore, ...asked) {
    const other = openRun.call(store, run);
    append(other, "workflow_completed", { output: {}, elapsed: 1 });
    last = other.lastSeq;
    other.release();
    return openRun.apply(this, asked);
  });
  expect(await cancel()).toMatchObject({ errors: [{ message: `the run ${run} is completed already` }] });
  const reader = store.readRun(run);
  expect(reader.lastSeq).toBe(last);
  reader.close();
  store.close();
});

test("who answers while another process cancels the run is told so", async () => {
  const { shop, run, store, answer, cancel } = await paused();
  let cancelling: ReturnType<typeof cancel> | undefined;
  hasItWhenOpened(store, run, () => {
    cancelling = cancel();
  });
  const { exit_code, errors } = await answer("yes");
  expect(exit_code).toBe(2);
  expect(errors[0]?.message).toContain(`the run ${run} was cancelled by `);
  expect(await cancelling).toMatchObject({ status: "cancelled" });
  expect(shop.marks()).toEqual([]);
  store.close();
});

test("who answers after a cancel is told who cancelled", async () => {
  const { run, store, answer, cancel } = await paused();
  await cancel();
  expect((await answer("yes")).errors[0]?.message).toMatch(
    new RegExp(`^no gate of the run ${run} waits for an answer: the run ${run} was cancelled by .*, at 2`),
  );
  store.close();
});
