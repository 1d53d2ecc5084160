import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Asked } from "../asked.ts";
import { Output } from "../output.ts";
import errors from "./errors.ts";

const cwd = mkdtempSync(join(tmpdir(), "segno-errors-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function exitCode(step: string, more = ""): number {
  writeFileSync(join(cwd, "w.yaml"), `workflow: { name: w, entry_point: a${more} }\nagents:\n  - ${step}\n`);
  const sink = { write: () => true };
  const manner = { format: "text", quiet: false, verbose: false, plain: true, env: {} } as const;
  const asked = new Asked(["w.yaml"], { "fail-on-unhandled": true }, { cwd, env: {} });
  return errors({
    asked,
    output: new Output(manner, { stdout: sink, stderr: sink }),
    faces: {},
    version: "0",
    commands: [],
  }) as number;
}

const CATCH_ALL = ", error_routes: [{ on_error: true, halt: { message: no } }]";

// What docs/errors.md says of --fail-on-unhandled.
it.each([
  ["a kind of its own", "{ name: a, type: script, command: x, raises: [a.b] }", "", 1],
  ["a command that may not be there", "{ name: a, type: script, command: x }", "", 1],
  ["a server that may be away", "{ name: a, type: http, url: 'http://localhost' }", "", 1],
  ["nothing but mistakes in the file and defects", "{ name: a, type: set, value: x }", "", 0],
  ["everything, with a catch-all", "{ name: a, type: script, command: x, raises: [a.b] }", CATCH_ALL, 0],
])("--fail-on-unhandled, for a file that can raise %s", (_, step, more, code) => {
  expect(exitCode(step, more)).toBe(code);
});
