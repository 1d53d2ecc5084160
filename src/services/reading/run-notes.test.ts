import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunEvent } from "../../base/events/registry.ts";
import type { Result } from "../../base/results/result.ts";
import { windows } from "../../steps/process/windows.ts";
import { BackgroundRuns } from "../runs/background.ts";
import { hearStopRequest, requestStop, runFolderIn, takeStopRequest } from "./run-notes.ts";

let folder: string;
const heard = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), "segno-stop-"));
  process.on("SIGINT", heard);
});
afterEach(() => {
  process.off("SIGINT", heard);
  vi.useRealTimers();
  heard.mockReset();
  rmSync(folder, { recursive: true, force: true });
});

it("is heard as Ctrl-C where no signal can be sent, once", () => {
  const stop = hearStopRequest(folder, windows);
  heard.mockImplementation(() => takeStopRequest(folder));
  vi.advanceTimersByTime(1000);
  expect(heard).not.toHaveBeenCalled();
  requestStop(folder);
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveBeenCalledTimes(1);
  stop();
  requestStop(folder);
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveBeenCalledTimes(1);
});

it("is not looked for where a signal comes", () => {
  hearStopRequest(folder);
  requestStop(folder);
  vi.advanceTimersByTime(1000);
  expect(heard).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it("means one run of a server, also one that is only beginning, or has just ended, and then not the server", async () => {
  vi.useRealTimers();
  const runs = new BackgroundRuns();
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = runs.start(async ({ on, signal }) => {
    await begun;
    on({ run_id: "A" } as RunEvent);
    await new Promise((stopped) => signal.addEventListener("abort", stopped));
    return {} as Result;
  });
  mkdirSync(runFolderIn(folder, "A"), { recursive: true });
  requestStop(runFolderIn(folder, "A"));
  const isOfRun = runs.stopRequested(folder);
  begin();
  expect(await isOfRun).toBe(true);
  await run.result;
  requestStop(runFolderIn(folder, "A"));
  expect(await runs.stopRequested(folder)).toBe(true);
  expect(await runs.stopRequested(folder)).toBe(false);
});
