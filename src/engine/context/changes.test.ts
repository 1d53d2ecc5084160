// What a coding agent changed: beside its output, in every place that reads it.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { type ModelAnswers, raises } from "../../../test/support/engine/scripted-world.ts";
import { type AgentChanges, raised } from "../../base/errors/index.ts";
import type { ModelResult } from "../../steps/world.ts";
import type { CachedOutcome, KeptOutcome, OutcomeCache } from "../outcome-cache.ts";

const changed = (...files: readonly string[]): AgentChanges => ({ files, added: files.length, removed: 0 });
const answer = (changes: AgentChanges | undefined): ModelResult => ({ ok: true, content: "done", changes, usage: {} });
const failing = (changes: AgentChanges): ModelResult => ({
  ok: false,
  error: raised("provider.rejected", "no"),
  changes,
  usage: {},
});
const models: ModelAnswers = () => answer(changed("a.txt"));

const file = (steps: string, output: string, more = ""): string => `
workflow: { name: w, entry_point: fix${more} }
agents:
${steps}
output: ${output}
`;
const FIX = "  - { name: fix, prompt: Go., routes: [{ to: $end }] }";

it("stands beside the output", async () => {
  const { output, recorded } = await new MemoryRun(
    file(FIX, `{ whole: "{{ fix.output }}", files: "{{ fix.changes.files }}" }`),
  ).drive({ models });
  expect(output).toEqual({ whole: { result: "done" }, files: ["a.txt"] });
  expect(recorded("agent_completed")).toMatchObject([{ output: { result: "done" }, changes: { files: ["a.txt"] } }]);
});

it("is not there for an agent that changes no files", async () => {
  const { output } = await new MemoryRun(file(FIX, `{ has: "{{ fix.changes is defined }}" }`)).drive({
    models: () => answer(undefined),
  });
  expect(output).toEqual({ has: false });
});

it("is kept of a step that failed, for whoever handles it", async () => {
  const steps = `  - { name: fix, prompt: Go., routes: [{ to: $end }, { on_error: provider.rejected, when: "changes.added == 1", to: undo }] }
  - { name: undo, type: set, value: "{{ fix.changes.files | join(' ') }}" }`;
  const { output } = await new MemoryRun(file(steps, `{ undo: "{{ undo.output }}" }`)).drive({
    models: () => failing(changed("a.txt")),
  });
  expect(output).toEqual({ undo: "a.txt" });
});

it("is named `changes` in the step's own routes and rules", async () => {
  const steps = `  - name: fix
    prompt: Go.
    raise_when: [{ when: "{{ changes.added > 1 }}", kind: a.b, message: "{{ changes.files | join(' ') }}" }]
    routes: [{ to: $end, when: "changes.added == 1", output: { went: "{{ fix.changes.added }}" } }, { to: $end }, { on_error: a.b, to: $end, output: { went: "{{ error.message }}" } }]`;
  const drive = async (...files: string[]) =>
    (await new MemoryRun(file(steps, "{ went: nowhere }")).drive({ models: () => answer(changed(...files)) })).output;
  expect(await drive("a.txt")).toEqual({ went: 1 });
  expect(await drive("a.txt", "b.txt")).toEqual({ went: "a.txt b.txt" });
});

it("leaves that name to a step that has it, and to a field of the output", async () => {
  const steps = `  - { name: changes, type: set, value: mine, routes: [{ to: fix }] }
  - { name: fix, prompt: Go., routes: [{ to: $end, when: "{{ changes.output == 'mine' }}", output: { ok: true } }, { to: $end }] }`;
  const named = file(steps, "{ ok: false }").replace("entry_point: fix", "entry_point: changes");
  expect((await new MemoryRun(named).drive({ models })).output).toEqual({ ok: true });
  const field = file(
    `  - { name: fix, prompt: Go., output: { changes: { type: number } }, routes: [{ to: $end, when: "changes == 3", output: { ok: true } }, { to: $end }] }`,
    "{ ok: false }",
  );
  const own = (): ModelResult => ({ ok: true, content: { changes: 3 }, changes: changed("a.txt"), usage: {} });
  expect((await new MemoryRun(field).drive({ models: own })).output).toEqual({ ok: true });
});

it("comes in by name in explicit mode", async () => {
  const steps = `  - { name: fix, prompt: Go., routes: [{ to: say }] }
  - { name: say, type: set, input: [fix.changes.files], value: "{{ fix.changes.files }}" }`;
  const { output } = await new MemoryRun(
    file(steps, `{ said: "{{ say.output }}" }`, ", context: { mode: explicit }"),
  ).drive({ models });
  expect(output).toEqual({ said: ["a.txt"] });
});

it("is found again when the run is resumed", async () => {
  const steps = `  - { name: fix, prompt: Go., routes: [{ to: stop }] }
  - { name: stop, type: script, command: stop, raises: [a.b] }`;
  const run = new MemoryRun(file(steps, `{ files: "{{ fix.changes.files }}" }`));
  await run.drive({ models, scripts: { stop: [raises("a.b")] } });
  const { output, recorded } = await run.drive();
  expect(recorded("agent_reused")).toHaveLength(1);
  expect(output).toEqual({ files: ["a.txt"] });
});

it("comes with an outcome of another run's cache", async () => {
  const kept = new Map<string, KeptOutcome>();
  const cache: OutcomeCache = {
    get: (hash): CachedOutcome | undefined => {
      const outcome = kept.get(hash);
      return outcome && { ...outcome, runId: "other" };
    },
    put: (hash, outcome) => void kept.set(hash, outcome),
  };
  const cached = file("  - { name: fix, prompt: Go., cache: true }", `{ files: "{{ fix.changes.files }}" }`);
  await new MemoryRun(cached).drive({ models, cache });
  const { output, recorded } = await new MemoryRun(cached).drive({ cache });
  expect(recorded("agent_reused")).toMatchObject([{ changes: { files: ["a.txt"] } }]);
  expect(output).toEqual({ files: ["a.txt"] });
});

describe("of a group", () => {
  const each = (keyBy: string, failureMode = "continue_on_error"): string => `
workflow: { name: w, entry_point: g, input: { xs: { type: array, default: [{ id: eu }, { id: us }] } } }
agents: []
for_each:
  - { name: g, type: for_each, source: workflow.input.xs, as: x, ${keyBy}failure_mode: ${failureMode}, agent: { name: m, prompt: "{{ x.id }}" } }
output: { changes: "{{ g.changes }}", outputs: "{{ g.outputs }}" }
`;

  it.each([
    ["by item key", "key_by: id, ", ["eu", "us"]],
    ["by index, without one", "", ["0", "1"]],
  ])("is there %s, also of items that failed", async (_, keyBy, keys) => {
    const answers: ModelAnswers = ({ key }) =>
      key.includes(`[${keys[1]}]`) ? failing(changed("us.txt")) : answer(changed("eu.txt"));
    const { output } = await new MemoryRun(each(keyBy)).drive({ models: answers });
    expect((output as { changes: unknown }).changes).toEqual({
      [keys[0] ?? ""]: changed("eu.txt"),
      [keys[1] ?? ""]: changed("us.txt"),
    });
  });

  it("is there by member, of those that change files", async () => {
    const { output } = await new MemoryRun(`
workflow: { name: w, entry_point: g }
agents:
  - { name: m, prompt: Go. }
  - { name: n, type: set, value: a }
parallel: [{ name: g, agents: [m, n] }]
output: { g: "{{ g.changes }}", m: "{{ g.outputs.m }}" }
`).drive({ models });
    expect(output).toEqual({ g: { m: changed("a.txt") }, m: { result: "done" } });
  });

  it("is not there where no member changes files", async () => {
    const { output } = await new MemoryRun(each("").replace("{{ g.changes }}", "{{ g.changes is defined }}")).drive({
      models: () => answer(undefined),
    });
    expect(output).toMatchObject({ changes: false });
  });
});
