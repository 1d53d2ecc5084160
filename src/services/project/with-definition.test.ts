import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMAND_LINE, commandLineReader, type Reader } from "../../base/results/reader.ts";
import { LIBRARY_USER } from "../../frontends/library/reader.ts";
import { HTTP_CLIENT } from "../../frontends/server/reader.ts";
import { withDefinition } from "./with-definition.ts";

it.each<[string, Reader, string]>([
  ["a terminal", COMMAND_LINE, "Name it in a segno.yaml"],
  ["a terminal, with a fleet", commandLineReader({ fleet: "postgres://db/segno" }), "Name it in a segno.yaml"],
  ["the HTTP API", HTTP_CLIENT, "Name it in a segno.yaml"],
  ["a program", LIBRARY_USER, "Import it, and give what it exports: run(definition)"],
])("code that no trusted project names is refused with what %s can do about it", async (_, reader, hint) => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-code-"));
  const file = join(cwd, "made.workflow.ts");
  writeFileSync(file, "");
  const refused = await withDefinition({ cwd, env: {}, reader }, file).catch((problem: unknown) => problem);
  rmSync(cwd, { recursive: true });
  expect(refused).toMatchObject({ result: { errors: [{ hint: expect.stringContaining(hint) }] } });
});
