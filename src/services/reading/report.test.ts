// The result of a run, with what its files say: what is done inside containers, what the file's policy retries.
import { expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { raises, type ScriptAnswers } from "../../../test/support/engine/scripted-world.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import { createRedactor } from "../../base/redact/index.ts";
import type { Result } from "../../base/results/index.ts";
import { loadWorkflow } from "../../language/load.ts";
import { resultOfRun } from "./report.ts";

const CHILD = `
workflow: { name: child, entry_point: first }
agents:
  - { name: first, type: script, command: first, routes: [{ to: second }] }
  - { name: second, type: script, command: echo, args: ["two words", "$HOME"], routes: [{ to: $end }] }
`;

async function resultOf(files: Readonly<Record<string, string>>, scripts: ScriptAnswers): Promise<Result> {
  const run = new MemoryRun(files);
  await run.drive({ scripts });
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld(files));
  const redactor = createRedactor({ secrets: [] });
  return resultOfRun(run.journal.reduce(apply, initialState("run")), {
    cwd: "/w",
    folder: "/nowhere",
    redactor,
    ...(workflow ? { workflow } : {}),
  });
}

it("names what is done inside sub-workflows and items in the checkpoint", async () => {
  const main = `
workflow: { name: case, entry_point: each, limits: { max_iterations: 50 } }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }] }
for_each:
  - { name: each, type: for_each, source: "{{ ['a'] }}", as: x, agent: { name: work, type: script, command: work }, routes: [{ to: call }] }
`;
  const { checkpoint, artifacts } = await resultOf(
    { "main.yaml": main, "child.yaml": CHILD },
    { second: [raises("app.bad")] },
  );
  expect(checkpoint).toMatchObject({
    completed_nodes: ["call/first", "each", "each[0]"],
    node_actions: { "call/first": "default", each: "default" },
    failed_node: "call",
  });
  expect(Object.keys(checkpoint?.node_hashes ?? {})).toContain("each[0]");
  expect(artifacts?.errors_jsonl).toBeNull();
});

it("calls an error retryable when the policy of its file, or of the caller, lists it", async () => {
  const main = `
workflow: { name: case, entry_point: call, resilience: { retry: { max_retries: 0, retryable: [app.bad] } } }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }] }
`;
  const files = { "main.yaml": main, "child.yaml": CHILD };
  const { errors } = await resultOf(files, { second: [raises("app.bad")] });
  expect(errors).toMatchObject([{ kind: "app.bad", retryable: true, shell_command: "echo 'two words' '$HOME'" }]);
  expect((await resultOf(files, { second: [raises("app.other")] })).errors).toMatchObject([{ retryable: false }]);
});

const hintOf = async (inner: string, outer: string): Promise<string | undefined> => {
  const main = `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: $end }${outer}] }
`;
  const child = `
workflow: { name: child, entry_point: verify }
agents:
  - { name: verify, type: script, command: x, raises: [pack.corrupt], routes: [{ to: $end }${inner}] }
`;
  const bad = raises("pack.corrupt");
  const { errors } = await resultOf({ "main.yaml": main, "child.yaml": child }, { verify: [bad, bad, bad, bad] });
  return errors[0]?.hint ?? undefined;
};
const PROPAGATE = ", { on_error: pack.corrupt, propagate: true }";
const RETRY = ", { on_error: pack.corrupt, retry: { max: 1, initial_seconds: 0 } }";

it.each([
  ["at the step itself", "", "", "or give it a route with `on_error: pack.corrupt`"],
  ["at the caller", PROPAGATE, "", "or give step call a route with `on_error: pack.corrupt`"],
  [
    "after the caller's retries",
    PROPAGATE,
    RETRY,
    "or add a route after the retries of step call, which are used up: `{ on_error: pack.corrupt, to: … }`",
  ],
  [
    "after its own retries",
    RETRY,
    "",
    "or add a route after the retries, which are used up: `{ on_error: pack.corrupt, to: … }`",
  ],
])("hints at a route where one is missing: %s", async (_, inner, outer, hint) => {
  expect(await hintOf(inner, outer)).toContain(`Fix the error of step verify, ${hint}`);
});

it("hints at a route of the group that called, whatever its item is named", async () => {
  const main = `
workflow: { name: case, entry_point: each }
for_each:
  - name: each
    type: for_each
    source: '[{"id": "one\\ntwo"}]'
    as: part
    key_by: id
    agent: { name: call, type: workflow, workflow: child.yaml }
`;
  const child = `
workflow: { name: child, entry_point: verify }
agents:
  - { name: verify, type: script, command: x, raises: [pack.corrupt], routes: [{ to: $end }${PROPAGATE}] }
`;
  const { errors } = await resultOf({ "main.yaml": main, "child.yaml": child }, { verify: [raises("pack.corrupt")] });
  expect(errors[0]?.hint).toContain("or give step each a route with `on_error: pack.corrupt`");
});
