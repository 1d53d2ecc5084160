// Decisions of the Windows side that need no Windows.
import type { Stats } from "node:fs";
import { expect, it } from "vitest";
import { windows } from "./windows.ts";

it("stands in for a command with a batch file that runs Node", () => {
  const files = windows.shim.files("deploy", "the program");
  expect(Object.keys(files)).toEqual(["deploy.cmd", "deploy.shim.cjs"]);
  expect(files["deploy.cmd"]).toBe(`@"${process.execPath}" "%~dp0deploy.shim.cjs" %*\r\n`);
  expect(files["deploy.shim.cjs"]).toBe("the program");
});

it("takes folders for its own without owners and modes, so that what killed engines left is removed", () => {
  const asOnWindows = { uid: 0, mode: 0o40666 } as Stats;
  expect(windows.isOwnFolder(asOnWindows)).toBe(true);
  expect(windows.keepsOthersOut(asOnWindows)).toBe(true);
});

it("sends no signal to a driver, which would end it", () => {
  expect(() => windows.interrupt(process.pid)).not.toThrow();
  expect(windows.hasSignals).toBe(false);
});
