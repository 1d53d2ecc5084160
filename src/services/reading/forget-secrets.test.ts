// What is left of secrets when a run is over. What scripts printed beyond what a journal holds lies in files of its own: what
// is a secret in it is known to the drive alone.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { initialState } from "../../base/events/state/fold.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { createRedactor, type SeenSecrets } from "../../base/redact/index.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { answerGate } from "../gates/gates.ts";
import { runWorkflow } from "../runs/run.ts";
import { forgetSecretsOf } from "./forget-secrets.ts";

const LATE = "late-secret-0001";
/** Longer than what is read at once. */
const printed = `${"a line of a log\n".repeat(6_000)}tok-77aa88bb, {"token": "tok-77aa88bb"}, ghp_0123456789abcdefABCDEF0123456789abcd, ${LATE}\n`;

async function ended(status: RunState["status"]): Promise<{ text: string; kept: SeenSecrets[]; files: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "segno-spilled-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "outputs"));
  writeFileSync(join(folder, "outputs/a.stdout"), printed);
  const kept: SeenSecrets[] = [];
  const none = { secrets: [], shortSecrets: [] };
  const run = {
    runId: "R",
    folder,
    events: () => [],
    seenSecrets: () => none,
    secrets: () => ({}),
    hasForgottenSecrets: () => false,
    hasLostSecrets: () => false,
    keepMet: async (met: SeenSecrets) => void kept.push(met),
  } as unknown as RunLog;
  const store = { state: { letters: { list: async () => [] } } } as unknown as RunStore;
  await forgetSecretsOf(store, run, { ...initialState("R"), status }, createRedactor({ secrets: [LATE] }));
  const [text, files] = [readFileSync(join(folder, "outputs/a.stdout"), "utf8"), readdirSync(join(folder, "outputs"))];
  return { text, kept, files };
}

it("a token at the end of a long output is in no file once the run is over, also one that no event had", async () => {
  const { text, kept, files } = await ended("completed");
  expect(text.slice(-70)).toContain('<redacted>, {"token": "<redacted>"}, <redacted>, <redacted>\n');
  expect(text).toHaveLength(printed.length - "tok-77aa88bb".length * 2 - 40 - LATE.length + 4 * "<redacted>".length);
  expect([kept, files.sort()]).toEqual([[], [".hidden", "a.stdout"]]);
});

it("it stays for the steps of a run that can go on, and is kept as what has to be hidden", async () => {
  const { text, kept, files } = await ended("paused");
  expect(text).toBe(printed);
  expect(kept).toEqual([{ secrets: [LATE], shortSecrets: [] }]);
  expect(files).toEqual(["a.stdout"]);
});

const GIVEN = "gq7-very-long-secret-7731";
/** Longer than a page of state.db, and than several of a journal. */
const FILLED = `"${"Ship it? ".repeat(600)} {{ workflow.input.s }}"`;
const gate = (name: string, next: string): string =>
  `  - { name: ${name}, type: human_gate, prompt: ${FILLED}, options: [{ value: "{{ workflow.input.s }}", label: "with {{ workflow.input.s }}", route: ${next} }] }\n`;
const ASKS = `workflow: { name: asks, entry_point: first, input: { s: { type: string, secret: true } } }
agents:
${gate("first", "note")}  - { name: note, type: set, value: "{{ workflow.input.s }}", routes: [{ to: second }] }
${gate("second", "$end")}`;

it("a secret that gates asked with is in no file of the home once the run is over", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-asked-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "a.yaml"), ASKS);
  const home = join(cwd, "home");
  const here = { cwd, env: {}, home };
  const holding = (): string[] =>
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(GIVEN))
      .map(({ name }) => name)
      .sort();
  const asked = await runWorkflow(here, { file: "a.yaml", inputs: { s: { value: GIVEN } } });
  expect(holding()).toContain("state.db");
  const answer = { ...here, run: asked.run_id ?? "", value: GIVEN, inputs: {} };
  expect(await answerGate(answer, { ...answer, gate: "first" })).toMatchObject({ status: "paused" });
  expect(await answerGate(answer, { ...answer, gate: "second" })).toMatchObject({ status: "completed" });
  expect(holding()).toEqual([]);
  expect(await answerGate(answer, { ...answer, gate: "second" })).toMatchObject({
    error: expect.stringContaining("was answered already"),
  });
});
