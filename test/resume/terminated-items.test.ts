// Lost items and letters of a run that ended by itself: each is tried alone, and the run stays as it ended.
import { expect, test } from "vitest";
import { listLetters, retryLetters } from "../../src/services/dead-letters/letters.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { showRun } from "../../src/services/runs/runs.ts";
import { Workshop } from "./workshop.ts";

/** Items b and c fail until the file ok-b, or ok-c, is there; the workflow ends itself after them. */
const flow = ({ resilience = "", status = "success", then = "terminate" } = {}): string => `
workflow: { name: w, entry_point: before${resilience} }
agents:
  - { name: before, type: script, command: sh, args: [-c, "echo before >> marks"], routes: [{ to: each }] }
  - { name: after, type: script, command: sh, args: [-c, "echo after >> marks; echo {{ each.failed }}"], routes: [${then === "halt" ? '{ to: stop, when: "{{ false }}" }, { to: fail }' : "{ to: stop }"}] }
  - { name: fail, type: script, command: sh, args: [-c, "exit 9"], routes: [{ to: $end }, { on_error: true, halt: { message: enough } }] }
  - { name: stop, type: terminate, status: ${status}, reason: "lost {{ each.failed }}" }
for_each:
  - name: each
    type: for_each
    source: "{{ ['a', 'b', 'c'] }}"
    as: x
    failure_mode: continue_on_error
    agent:
      name: item
      type: script
      command: sh
      args: [-c, 'echo "item-{{ x }}" >> marks; [ {{ x }} = a ] || [ -e ok-{{ x }} ] || { echo "{\\"kind\\": \\"a.b\\", \\"message\\": \\"no {{ x }}\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }']
      raises: [a.b]
    routes: [{ to: after }]
`;
const LETTERS = ", resilience: { retry: { max_retries: 0, retryable: [a.b] }, dead_letter: true }";
const ALL = ["before", "item-a", "item-b", "item-c", "after"];

test("a lost item of a terminated run runs alone, and the run's own end stays", async () => {
  const shop = new Workshop({ "main.yaml": flow() });
  const { result } = await shop.run("main.yaml");
  const run = result.run_id ?? "";
  expect(result).toMatchObject({ status: "terminated", degraded: true, exit_code: 0 });
  expect(result.warnings[0]?.hint).toContain(`segno resume ${run} --failed-items`);
  expect(shop.marks().sort()).toEqual([...ALL].sort());

  const { resume, next } = await explainRun(shop.session, { run, failedItems: true });
  expect(resume).toMatchObject({ runs: [{ node_id: "each", members: 2 }], reused: [], depends: [] });
  expect(next).toContain(`To run what its groups lost again: segno resume ${run} --failed-items`);

  shop.write({ "ok-b": "" });
  const half = (await shop.resume(run, { failedItems: true })).result;
  expect(shop.marks().sort()).toEqual(["item-b", "item-c"]);
  expect(half).toMatchObject({ status: "terminated", degraded: true, exit_code: 3, success: false });
  expect(half.termination?.reason).toBe("lost 2");
  expect(half.warnings.filter(({ group }) => group === "each")).toMatchObject([{ item_key: "2", kind: "a.b" }]);

  shop.write({ "ok-c": "" });
  const whole = (await shop.resume(run, { failedItems: true })).result;
  expect(shop.marks()).toEqual(["item-c"]);
  expect(whole).toMatchObject({ status: "terminated", exit_code: 0, success: true, warnings: [] });
  const shown = await showRun(shop.session, { run });
  expect(shown).toMatchObject({ status: "terminated", exit_code: 0, termination: { reason: "lost 2" } });
  expect(shown).not.toHaveProperty("degraded");
  expect(shown.execution?.steps.map(({ node_id, status }) => [node_id, status])).toContainEqual(["after", "completed"]);
  // Its own time is what it was: hours may lie between its end and the retry.
  expect(shown.execution?.duration_ms).toBe(result.execution?.duration_ms);
  expect((await shop.resume(run, { failedItems: true })).result).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("lost no items"),
  });
  expect((await explainRun(shop.session, { run })).chapters).toHaveLength(1);
});

test("what is recorded of the retry follows the run's end, with who asked for it", async () => {
  const shop = new Workshop({ "main.yaml": flow() });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  shop.write({ "ok-b": "", "ok-c": "" });
  const { events } = await shop.resume(run, { failedItems: true });
  const end = events.findIndex(({ type }) => type === "workflow_completed");
  const after = events.slice(end + 1);
  // They run side by side, so either may be the first to fail.
  const items = expect.toSatisfy((keys: string[]) => `${keys.toSorted()}` === "each#1[1].item,each#1[2].item");
  expect(after[0]).toMatchObject({ type: "items_retried", data: { items } });
  expect(after.filter(({ type }) => type === "agent_completed")).toHaveLength(2);
  expect(new Set(after.map(({ type }) => type))).not.toContain("run_resumed");
  expect(after.at(-1)).toMatchObject({ type: "for_each_completed", data: { success_count: 3, failure_count: 0 } });
});

test.each(["success", "failed"])("the letters of a run that ended itself with %s can be retried", async (status) => {
  const shop = new Workshop({ "main.yaml": flow({ resilience: LETTERS, status }) });
  const { result } = await shop.run("main.yaml");
  const run = result.run_id ?? "";
  shop.marks();
  const { letters } = await listLetters(shop.session, {});
  expect(letters).toHaveLength(2);
  const [letter] = letters.filter(({ item_key }) => item_key === "1");
  const retry = () => retryLetters(shop.session, { ids: [letter?.id ?? ""] });
  expect(await retry()).toMatchObject({ exit_code: 3, status: "terminated", letters: [{ status: "open", count: 2 }] });
  expect(shop.marks()).toEqual(["item-b"]);
  shop.write({ "ok-b": "" });
  expect(await retry()).toMatchObject({ exit_code: 0, status: "terminated", letters: [{ status: "resolved" }] });
  expect(shop.marks()).toEqual(["item-b"]);
  const shown = await showRun(shop.session, { run });
  expect(shown).toMatchObject({ status: "terminated", degraded: true, exit_code: status === "success" ? 0 : 1 });
  expect((await listLetters(shop.session, {})).letters).toMatchObject([{ item_key: "2", status: "open" }]);
});

test("lost items of a halted run can be retried, and nothing else of it", async () => {
  const shop = new Workshop({ "main.yaml": flow({ then: "halt" }) });
  const { result } = await shop.run("main.yaml");
  expect(result).toMatchObject({ status: "failed", checkpoint: { resumable: false } });
  shop.marks();
  shop.write({ "ok-b": "", "ok-c": "" });
  const again = (await shop.resume(result.run_id ?? "", { failedItems: true })).result;
  expect(again).toMatchObject({ status: "failed", exit_code: 0, success: true });
  expect(shop.marks().sort()).toEqual(["item-b", "item-c"]);
  const other = await shop.resume(result.run_id ?? "", { failedItems: true, inputs: { n: { value: 1 } } });
  expect(other.result.exit_code).toBe(2);
});

test("an item that a sub-workflow lost runs alone in it, and a step edited since is left alone", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, input_mapping: { word: "hello" }, routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: success, reason: done }
`,
    "child.yaml": `
workflow: { name: child, entry_point: first, input: { word: { type: string } } }
agents:
  - { name: first, type: set, value: "{{ workflow.input.word }}", routes: [{ to: each }] }
  - { name: last, type: script, command: sh, args: [-c, "echo last >> marks"] }
for_each:
  - { name: each, type: for_each, source: "{{ [1, 2] }}", as: n, failure_mode: continue_on_error, agent: { name: item, type: script, command: sh, args: [-c, "echo {{ first.output }}-{{ n }} >> marks; [ {{ n }} = 1 ] || [ -e ok ]"], raises: [a.b] }, routes: [{ to: last }] }
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(result).toMatchObject({ status: "terminated", degraded: true });
  expect(shop.marks().sort()).toEqual(["hello-1", "hello-2", "last"]);
  shop.write({ ok: "", "child.yaml": shop.read("child.yaml").replace("echo last", "echo edited") });
  const again = (await shop.resume(result.run_id ?? "", { failedItems: true })).result;
  expect(again).toMatchObject({ exit_code: 0, status: "terminated" });
  expect(shop.marks()).toEqual(["hello-2"]);
  expect(await showRun(shop.session, { run: result.run_id ?? "" })).not.toHaveProperty("degraded");
});
