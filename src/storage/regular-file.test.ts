import { execFileSync } from "node:child_process";
import { mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRegularFile } from "./regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-files-"));

it("reads a file", () => {
  writeFileSync(join(folder, "a"), "text");
  expect(readRegularFile(join(folder, "a")).toString()).toBe("text");
});

it.each([
  ["a pipe that nobody writes to", () => join(folder, "pipe"), "ENOTREG"],
  ["a device without end", () => "/dev/zero", "ENOTREG"],
  ["a folder", () => folder, "EISDIR"],
  ["a file that is far too large", () => join(folder, "huge"), "EFBIG"],
  ["nothing at all", () => join(folder, "nothing"), "ENOENT"],
])("refuses %s at once", (_, path, code) => {
  if (code === "ENOTREG" && path().endsWith("pipe")) execFileSync("mkfifo", [path()]);
  if (code === "EFBIG") {
    writeFileSync(path(), "");
    truncateSync(path(), 5 * 1024 ** 3);
  }
  expect(() => readRegularFile(path())).toThrow(expect.objectContaining({ code }));
});
