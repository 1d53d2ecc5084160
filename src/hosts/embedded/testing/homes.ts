// Homes for tests: a fresh folder each, removed at the end of the test, and events to put into runs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunEvent } from "../../../events/registry.ts";
import { newRunId } from "../../run-id.ts";
import { openStore, type EmbeddedStore, type StoreOptions } from "../store.ts";

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function freshStore(options: StoreOptions = {}): EmbeddedStore {
  return openTestStore(join(freshFolder(), "home"), options);
}

export function openTestStore(home: string, options: StoreOptions = {}): EmbeddedStore {
  const store = openStore(home, options);
  onTestFinished(() => store.close());
  return store;
}

export const someRun = (runId: string = newRunId()) => ({
  runId,
  workflow: "release",
  file: "/w/release.yaml",
  durability: "process" as const,
});

/** An event that carries any output. */
export const output = (seq: number, value: unknown, runId = "r"): RunEvent => ({
  seq,
  ts: "2026-01-01T00:00:00.000Z",
  type: "agent_completed",
  run_id: runId,
  path: [],
  data: { agent_name: "a", agent_type: "set", key: `a#${seq}`, attempt: 1, elapsed: 0, output: value },
});
