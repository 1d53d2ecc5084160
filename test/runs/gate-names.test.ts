// Several gates wait at once: each has one name that can be copied, and whatever else a person would call it is understood.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { answerGate, listGates } from "../../src/services/gates/gates.ts";
import { withStore } from "../../src/services/session/store.ts";
import { Playground } from "../support/play.ts";

const GATE = `type: human_gate, prompt: "Go?", options: [{ label: Yes, value: yes }, { label: No, value: no }]`;
const MAIN = `
workflow:
  name: main
  entry_point: each
  input: { regions: { type: array, default: [{ name: eu }, { name: us }] } }
for_each:
  - name: each
    type: for_each
    source: workflow.input.regions
    as: it
    key_by: name
    agent: { name: g, ${GATE} }
    routes: [{ to: $end }]
output: { answers: "{{ each.outputs | length }}" }
`;
const CHILD = `
workflow: { name: child, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: "Go?"
    options: [{ label: Yes, value: yes, route: $end }, { label: No, value: no, route: $end }]
`;
const PARENT = `
workflow: { name: parent, entry_point: both }
agents:
  - { name: left, type: workflow, workflow: child.yaml }
  - { name: right, type: workflow, workflow: child.yaml }
parallel:
  - { name: both, agents: [left, right], routes: [{ to: $end }] }
`;

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
  onTestFinished(() => ground.close());
  ground.write({ "main.yaml": MAIN, "parent.yaml": PARENT, "child.yaml": CHILD });
});

const answer = (run: string, gate?: string) =>
  answerGate(ground.session, { run, value: "yes", inputs: {}, ...(gate === undefined ? {} : { gate }) });

describe("a gate that two people answer", () => {
  it("tells the later one who was first, before and after the run has heard of it", async () => {
    const { result } = await ground.run("child.yaml");
    const run = result.run_id ?? "";
    const [gate] = (await listGates(ground.session)).gates;
    const given = { kind: "gate", value: "no", additional_input: {}, by: "page", person: "kim@desk" };
    await withStore(ground.session, (store) => store.state.gates.answer(run, gate?.key ?? "", given));
    const later = await answer(run);
    expect(later).toMatchObject({
      exit_code: 2,
      error: 'the gate approve was answered already, by kim@desk with "no"',
    });
    await ground.resume(run);
    expect((await answer(run)).error).toMatch(/^the gate approve was answered already, by kim@desk with "no", at /);
  });
});

describe("gates that wait at once", () => {
  it("are called the same in the list, the result, its headline, the event and what answers them", async () => {
    const { result, events } = await ground.run("main.yaml");
    const listed = (await listGates(ground.session)).gates.map(({ name }) => name);
    expect(listed.toSorted()).toEqual(["each[eu]", "each[us]"]);
    // Items run at the same time: whichever asked first comes first.
    const first = result.gates?.[0]?.name;
    expect(result.error).toContain(`${first} and 1 more wait`);
    expect(result.gates?.map((gate) => gate.answer).toSorted()).toEqual([
      `segno gate answer ${result.run_id} VALUE --gate 'each[eu]'`,
      `segno gate answer ${result.run_id} VALUE --gate 'each[us]'`,
    ]);
    expect(events.find(({ type }) => type === "run_paused")?.data).toMatchObject({
      reason: `${first} waits for an answer`,
    });
  });

  it.each(["each[us]", "each[us].g", "each#1[us].g"])("an item's is answered as %s", async (name) => {
    const { result } = await ground.run("main.yaml");
    const after = await answer(result.run_id ?? "", name);
    expect(after.gate?.name).toBe("each[eu]");
    // The last one that waits needs no item.
    expect(await answer(result.run_id ?? "", "g")).toMatchObject({ status: "completed", exit_code: 0 });
  });

  it("a name that two have is refused with those that tell them apart", async () => {
    const { result } = await ground.run("main.yaml");
    const refused = await answer(result.run_id ?? "", "g");
    expect(refused.exit_code).toBe(2);
    const both = String.raw`(each\[eu\], each\[us\]|each\[us\], each\[eu\])`;
    expect(refused.error).toMatch(new RegExp(`several gates wait: ${both}\\. Say which with --gate`));
    expect((await answer(result.run_id ?? "", "each[uk]")).error).toMatch(new RegExp(`What waits: ${both}`));
  });

  it("those of children are told apart by the way to them", async () => {
    const { result } = await ground.run("parent.yaml");
    expect(result.gates?.map(({ name }) => name).toSorted()).toEqual(["left/approve", "right/approve"]);
    expect((await answer(result.run_id ?? "", "right/approve")).gate?.name).toBe("left/approve");
  });
});
