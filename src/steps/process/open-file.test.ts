import { closeSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../test/support/engine/attempt.ts";
import { openForReading } from "./platform.ts";

const folder = testFolder();

it.each([
  ["where the system refuses links", undefined],
  ["where it does not, as on Windows", {}],
])("follows no link %s", (_, flags) => {
  const [file, link] = [join(folder(), "file"), join(folder(), "link")];
  writeFileSync(file, "");
  symlinkSync(file, link);
  expect(() => openForReading(link, { noLink: true }, flags)).toThrow(expect.objectContaining({ code: "ELOOP" }));
  closeSync(openForReading(link, {}, flags));
  closeSync(openForReading(file, { noLink: true }, flags));
});
