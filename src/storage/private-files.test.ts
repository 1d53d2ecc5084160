import { expect, it } from "vitest";
import { posix } from "../steps/process/posix.ts";
import { windows } from "../steps/process/windows.ts";
import { syncFolder } from "./private-files.ts";

it("writes no folder to the disk on Windows, where that is refused", () => {
  expect(() => syncFolder("/nowhere", windows)).not.toThrow();
  expect(() => syncFolder("/nowhere", posix)).toThrow(/ENOENT/);
});
