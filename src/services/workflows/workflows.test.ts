import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realFiles } from "../session/files.ts";
import { CheckedFiles } from "./workflows.ts";

test("a file is checked again when one of the files that were looked at has changed, came or went, and not before", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-checked-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, called] = [join(folder, "a.yaml"), join(folder, "b.yaml")];
  let checks = 0;
  const checked = new CheckedFiles<string>();
  const look = () =>
    checked.of(file, realFiles({}), (files) => {
      checks += 1;
      return `${files.read(file)} ${files.exists(called) ? files.read(called) : "none"}`;
    });
  writeFileSync(file, "a");
  expect([look(), look(), checks]).toEqual(["a none", "a none", 1]);
  writeFileSync(called, "b");
  expect([look(), look(), checks]).toEqual(["a b", "a b", 2]);
  writeFileSync(called, "longer");
  expect([look(), checks]).toEqual(["a longer", 3]);
  rmSync(called);
  expect([look(), checks]).toEqual(["a none", 4]);
});
