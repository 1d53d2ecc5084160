// Types that users see: programs that must compile, with every line that must not marked as such.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { commandLine } from "../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RELEASE = `
workflow:
  name: release
  entry_point: notes
  input: { version: { type: string }, dry: { type: boolean, default: false } }
agents:
  - name: notes
    prompt: write
    output: { text: { type: string }, score: { type: number, required: false }, level: { type: string, enum: [a, b] } }
    raises: [notes.refused]
    routes: [{ on_error: "provider.*", to: $end }, { on_error: "internal.*", to: $end }, { to: $end }]
output: { text: "{{ notes.output.text }}", score: "{{ notes.output.score }}", level: "{{ notes.output.level }}", v: "{{ workflow.input.version }}", both: "{{ notes.output.text }}!" }
`;

const STOPS = `
workflow: { name: stops, entry_point: look, input: { n: { type: number } } }
steps:
  - { name: look, type: set, value: 1, routes: [{ to: small, when: "{{ workflow.input.n < 3 }}" }, { to: large }] }
  - { name: small, type: terminate, status: success, reason: small, output_template: { n: "{{ workflow.input.n }}" } }
  - { name: large, type: terminate, status: failed, reason: large, output_template: { n: "none" } }
`;

const PROGRAM = `
import { createSegno, defineStep, type RunResult, succeeded } from "segno";
import { z } from "zod";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Same<A, B>) => is;

await using segno = createSegno({ store: "./.segno" });
const result = await segno.run("release.yaml", { inputs: { version: "1.2.0" } });
if (result.status === "completed") {
  same<typeof result.output.text, string>(true);
  same<typeof result.output.score, number | null>(true);
  same<typeof result.output.level, "a" | "b">(true);
  same<typeof result.output.both, unknown>(true);
  // @ts-expect-error: there is no such output
  void result.output.missing;
}
if (result.status === "failed") {
  const kind = result.error.kind;
  switch (kind) {
    case null:
    KINDS
      break;
    default: {
      const none: never = kind;
      void none;
    }
  }
  // @ts-expect-error: not all kinds are handled
  if (kind !== "notes.refused") { const none: never = kind; void none; }
}
await segno.run("./release.yaml", { inputs: { version: "1", dry: true } });
const started = await segno.start("release.yaml", { inputs: { version: "1" } });
for await (const event of started.events()) if (event.type === "error_raised") void event.data.error.kind;
// @ts-expect-error: an input is missing
await segno.run("release.yaml", { inputs: {} });
// @ts-expect-error: inputs are required
await segno.run("release.yaml");
// @ts-expect-error: a version is a text
await segno.run("release.yaml", { inputs: { version: 1 } });
// @ts-expect-error: the client has the store
await segno.runs.list({ store: "x" });
// @ts-expect-error: there is no such option
createSegno({ stor: "x" });

const stopped = await segno.run("stops.yaml", { inputs: { n: 1 } });
if (stopped.status === "terminated" && stopped.success) same<typeof stopped.output, { n: number }>(true);
// @ts-expect-error: the terminate step that ended it may have failed it
if (stopped.status === "terminated") void stopped.output.n;

const other = await segno.run<{ a: number }, { b: string }>("other.yaml", { inputs: { a: 1 } });
same<typeof other, RunResult<{ b: string }, string>>(true);
// @ts-expect-error: the inputs that were stated
await segno.run<{ a: number }, { b: string }>("other.yaml", { inputs: { a: "1" } });
const any = await segno.run("third.yaml", { inputs: { whatever: 1 } });
const json: string | null = any.toJSON().run_id;
const id: string | null = any.runId;
void [json, id];

defineStep({
  type: "shout",
  description: "",
  schema: z.object({ text: z.string(), times: z.number().default(1) }),
  execute: ({ text, times }) => succeeded(text.repeat(times)),
});
defineStep({
  type: "shout",
  description: "",
  schema: z.object({ text: z.string() }),
  // @ts-expect-error: the schema has no such field
  execute: ({ words }) => succeeded(words),
});
defineStep<{ text: string }>({ type: "a", description: "", schema: {}, execute: ({ text }) => succeeded(text) });
`;

it("types inputs, outputs and kinds of files by `segno types`, and refuses what is wrong", async () => {
  writeFileSync(join(folder, "release.yaml"), RELEASE);
  writeFileSync(join(folder, "stops.yaml"), STOPS);
  const { code, stderr } = await commandLine(["types", "release.yaml", "stops.yaml"], {
    cwd: folder,
    env: { SEGNO_HOME: join(folder, "home") },
  });
  expect([code, stderr]).toEqual([0, ""]);
  const { stdout } = await commandLine(["types", "release.yaml", "--out", "-"], {
    cwd: folder,
    env: { SEGNO_HOME: join(folder, "home") },
  });
  const kinds = [...(/errors: (.*);/.exec(stdout)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, kind]) => kind);
  expect(kinds).toContain("notes.refused");
  writeFileSync(
    join(folder, "use.ts"),
    PROGRAM.replace("KINDS", kinds.map((kind) => `case "${kind}":`).join("\n    ")),
  );
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(resolve("node_modules/zod"), join(folder, "node_modules/zod"));
  symlinkSync(resolve("node_modules/@types"), join(folder, "node_modules/@types"));
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2023", "ESNext.Disposable"], module: "NodeNext", types: ["node"] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    paths: { segno: [resolve("src/index.ts")], "segno/workflow": [resolve("src/library/workflow/index.ts")] },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts", "segno.d.ts"] }));
  const tsc = spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder], {
    encoding: "utf8",
  });
  expect(tsc.stdout).toBe("");
});
