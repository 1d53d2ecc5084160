// Killed at a chosen write: letters, escalations and phases are after the resume as if nothing had happened.
import { expect, test } from "vitest";
import type { LetterAnswer, LettersAnswer } from "../../src/services/dead-letters/letters.ts";
import { Workshop } from "../resume/workshop.ts";

/** Leaves a mark, and raises `app.no` while there is no file `ok`. */
const failing = (name: string, more = ""): string =>
  `{ name: ${name}, type: script, command: sh, args: ["-c", 'echo ${name} >> marks; test -e ok && exit 0; echo "{\\"kind\\": \\"app.no\\", \\"message\\": \\"no\\"}" > $CONDUCTOR_ERROR_OUT; exit 1']${more} }`;

/** The same for the items of `each`, but for the third: a group that lost all of them would not go on. */
const failingItem = failing("a").replace("echo a", 'test "{{ item }}" = 3 && exit 0; echo a');

const each = (agent: string): string => `
agents:
  - { name: last, type: set, value: done }
for_each:
  - name: all
    type: for_each
    source: "{{ [1, 2, 3] }}"
    as: item
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: ${agent}
    routes: [{ to: last }]
`;

/** How often somebody was told since the last time this was asked. */
const told = (shop: Workshop): number => shop.marks().filter((mark) => mark === "told").length;

async function lettersOf(shop: Workshop): Promise<LettersAnswer["letters"]> {
  const { result } = await shop.segno(["dlq", "list", "--all"]);
  return (result as unknown as LettersAnswer).letters;
}

test("a letter has every attempt, also those before the kill", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, resilience: { dead_letter: true, retry: { max_retries: 2, initial_delay: 0.01, retryable: [app.no] } } }
agents:
  - ${failing("a")}
`,
  });
  await shop.killedAt("kill-after:retry_scheduled");
  await shop.resume("main.yaml");
  const [letter] = await lettersOf(shop);
  const { result } = await shop.segno(["dlq", "show", letter?.id ?? ""]);
  expect((result as unknown as LetterAnswer).letters).toMatchObject([
    { attempts: 3, history: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }] },
  ]);
});

test.each([
  ["before others", "[1, 2, 3]", ["0", "1"]],
  ["at last", "[3, 1]", ["1"]],
])("a letter of an item that failed %s, kept just before the kill, is not added to", async (_, items, failed) => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 1, initial_delay: 0.01, retryable: [app.no] } } }
${each(failingItem).replace("[1, 2, 3]", items)}`,
  });
  await shop.killedAt("kill-before:dead_lettered");
  expect(await lettersOf(shop)).toMatchObject([{ item_key: failed[0], count: 1 }]);
  await shop.resume("main.yaml");
  const letters = (await lettersOf(shop)).map(({ item_key, count, attempts }) => [item_key, count, attempts]);
  expect(letters.toSorted()).toEqual(failed.map((item_key) => [item_key, 1, 2]));
});

test("items that were kept before the kill are not kept again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [app.no] } } }
${each(failingItem)}`,
  });
  await shop.killedAt("kill-before:for_each_completed");
  await shop.resume("main.yaml");
  expect(await lettersOf(shop)).toMatchObject([
    { item_key: "1", count: 1 },
    { item_key: "0", count: 1 },
  ]);
});

test("nobody is told again of an item that was escalated before the kill", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, resilience: { escalate: { command: sh, args: ["-c", "echo told >> marks"] } } }
${each(failingItem)}`,
  });
  await shop.killedAt("kill-before:for_each_completed");
  expect(told(shop)).toBe(2);
  await shop.resume("main.yaml");
  // Of the last one it had not been written down yet.
  expect(told(shop)).toBe(1);
});

test("somebody is told again when the kill left open whether they were", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, resilience: { escalate: { command: sh, args: ["-c", "echo told >> marks"] } } }
agents:
  - ${failing("a")}
`,
  });
  await shop.killedAt("kill-after:agent_failed");
  told(shop);
  await shop.resume("main.yaml");
  expect(told(shop)).toBe(1);
});

test("what a child kept is not kept again by its parent, also when a kill came in between", async () => {
  const kept = "resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [app.no] } }";
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, ${kept} }
${each("{ name: sub, type: workflow, workflow: ./child.yaml, input_mapping: { item: '{{ item }}' } }")}`,
    "child.yaml": `
workflow: { name: child, entry_point: a, input: { item: { type: number } }, ${kept} }
agents:
  - ${failingItem.replace("{{ item }}", "{{ workflow.input.item }}")}
`,
  });
  await shop.killedAt("kill-before:for_each_completed");
  await shop.resume("main.yaml");
  expect(await lettersOf(shop)).toMatchObject([
    { node_id: "a", path: ["all[1]"], count: 1 },
    { node_id: "a", path: ["all[0]"], count: 1 },
  ]);
});

test("a step that was denied has entered no phase, also when its denial is reused", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, phases: [build, ship], policies: [{ phase_gate: {} }] }
agents:
  - ${failing("a", ", phase: build, routes: [{ on_error: true, to: b }, { to: b }]")}
  - { name: b, type: set, value: 1, phase: ship, routes: [{ on_error: policy.denied, to: c }, { to: c }] }
  - { name: c, type: set, value: 1, routes: [{ to: d }] }
  - { name: d, type: set, value: shipped, phase: ship, routes: [{ on_error: policy.denied, to: e }, { to: $end }] }
  - { name: e, type: set, value: 1 }
output: { shipped: "{{ d.output if d is defined and d.output is defined else 'no' }}" }
`,
  });
  await shop.killedAt("kill-after:agent_completed");
  expect((await shop.resume("main.yaml")).result.output).toEqual({ shipped: "no" });
});

test.each([
  "before:dead_letter_resolved",
  "after:dead_letter_resolved",
  "before:agent_completed",
  "before:for_each_completed",
])("a retry of letters that is killed %s can be made again, and does what was left", async (moment) => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: [app.no] } } }
${each(failingItem)}
output: { lost: "{{ all.failed }}" }`,
  });
  const { result } = await shop.segno(["run", "main.yaml"]);
  const runId = result?.run_id ?? "";
  shop.write({ ok: "" });
  const retry = ["dlq", "retry", "--run", runId];
  await shop.killedAt(`kill-${moment}`, retry);
  await shop.segno(retry);
  // When nothing was left to retry the run itself may have been.
  await shop.segno(["resume", runId]);
  expect(await lettersOf(shop)).toMatchObject([{ status: "resolved" }, { status: "resolved" }]);
  expect((await shop.segno(["show", runId])).result).toMatchObject({
    status: "completed",
    output: { lost: 0 },
    warnings: [],
  });
});
