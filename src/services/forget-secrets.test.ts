// What scripts printed beyond what a journal holds lies in files of its own. What is a secret in it is known to the drive alone.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { initialState } from "../events/fold.ts";
import type { RunState } from "../events/state.ts";
import type { RunLog } from "../hosts/run-log.ts";
import type { RunStore } from "../hosts/store.ts";
import { createRedactor, type MetSecrets } from "../redact/index.ts";
import { forgetSecretsOf } from "./forget-secrets.ts";

const LATE = "late-secret-0001";
/** Longer than what is read at once. */
const printed = `${"a line of a log\n".repeat(6_000)}tok-77aa88bb, {"token": "tok-77aa88bb"}, ghp_0123456789abcdefABCDEF0123456789abcd, ${LATE}\n`;

async function ended(status: RunState["status"]): Promise<{ text: string; kept: MetSecrets[]; files: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "segno-spilled-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "outputs"));
  writeFileSync(join(folder, "outputs/a.stdout"), printed);
  const kept: MetSecrets[] = [];
  const none = { secrets: [], shortSecrets: [] };
  const run = {
    ...{ runId: "R", folder, events: () => [], metSecrets: () => none, secrets: () => ({}) },
    ...{ hasForgottenSecrets: () => false, hasLostSecrets: () => false },
    keepMet: async (met: MetSecrets) => void kept.push(met),
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
