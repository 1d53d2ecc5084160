import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { windows } from "../../steps/process/windows.ts";
import { hearStopRequest, requestStop, takeStopRequest } from "./stop-request.ts";

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
