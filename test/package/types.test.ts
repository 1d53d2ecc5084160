// Types that users see: programs that must compile, with every line that must not marked as such.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { declarations } from "../../scripts/build/declarations.ts";
import { FROM_SCHEMAS } from "../../scripts/places.mjs";
import { commandLine } from "../support/command-line.ts";
import { packedOnce } from "./pack-copy.ts";

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
if (result.success) {
  same<typeof result.output.text, string>(true);
  same<typeof result.error, null>(true);
} else if (result.error) {
  switch (result.error.kind) {
    case null:
    KINDS
      break;
    default:
      result.error.kind satisfies never;
  }
  const { kind } = result.error;
  // @ts-expect-error: not all kinds are handled
  if (kind !== "notes.refused") kind satisfies never;
}
if (result.status === "failed") void result.error.kind?.length;
// @ts-expect-error: a run that waits need not have an error
if (result.status === "paused") void result.error.kind;
switch (result.status) {
  case "completed": case "degraded": case "terminated": case "failed": case "paused": case "cancelled": case "invalid":
  case "queued": case "running": break;
  default: result satisfies never;
}
const again = await segno.runs.resume<"release.yaml">(result.runId ?? "", { force: true });
same<typeof again, typeof result>(true);
const shown = await segno.runs.get(result.runId ?? "");
same<typeof shown, RunResult>(true);
const checked = await segno.workflows.validate("release.yaml");
if (!checked.success) void checked.error.location?.line;
const told = ({ status, kind }: { status: string; kind: string | null }) => [status, kind];
for (const run of (await segno.runs.list({ status: "failed" })).runs) {
  if (run.status === "crashed") void told(run);
  // @ts-expect-error: no run has this status
  if (run.status === "faild") void run;
}
// @ts-expect-error: no run has this status
await segno.runs.list({ status: "faild" });
// @ts-expect-error: there is no such type of step
await segno.workflows.schema("htpp");
await segno.run("./release.yaml", { inputs: { version: "1", dry: true } });
const started = await segno.start("release.yaml", { inputs: { version: "1" } });
for await (const event of started.events()) {
  if (event.type === "error_raised") void event.data.error.kind;
  if (event.type === "workflow_failed") same<typeof event.data.agent_name, string | null>(true);
}
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
defineStep({
  type: "shout",
  description: "",
  schema: { type: "object", properties: { text: { type: "string" }, times: { type: "number" } }, required: ["text"] },
  execute: ({ text, times = 1 }) => succeeded(text.repeat(times)),
});
defineStep({
  type: "shout",
  description: "",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  // @ts-expect-error: the schema has no such field
  execute: ({ words }) => succeeded(words),
});
defineStep<{ text: string }>({ type: "a", description: "", schema: {}, execute: ({ text }) => succeeded(text) });
`;

it("types inputs, outputs and kinds of files by `segno types`, and refuses what is wrong", {
  timeout: 600_000,
}, async () => {
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
  expect(await compiled("use.ts", "segno.d.ts")).toBe("");
});

const ENDS = {
  "halts.yaml": `
workflow: { name: halts, entry_point: a, input: { n: { type: number, default: 1 } } }
steps:
  - { name: a, type: script, command: "false", raises: [], routes: [{ on_error: true, halt: { message: no } }, { to: $end }] }
output: { n: "{{ workflow.input.n }}" }
`,
  "calls.yaml": `
workflow: { name: calls, entry_point: a }
steps:
  - { name: a, type: workflow, workflow: halts.yaml, routes: [{ on_error: true, to: $end }, { to: $end }] }
output: { n: "{{ a.output.n }}", m: "{{ a.output.m }}" }
`,
  "silent.yaml": `
workflow: { name: silent, entry_point: a }
steps: [{ name: a, type: script, command: "true" }]
`,
};

it.each([
  ["halts.yaml", 'errors: "halt.intentional" | "internal.template_error";'],
  ["calls.yaml", 'errors: "halt.intentional" | "internal.template_error";'],
  ["calls.yaml", "n: number;\n        m: unknown;"],
  ["silent.yaml", "do not list theirs in `raises`: a. */\n      errors: (string & {}) | "],
])("declares of %s also what ends it on purpose, a child's output, and why a kind can be any", async (file, text) => {
  for (const [name, yaml] of Object.entries(ENDS)) writeFileSync(join(folder, name), yaml);
  const env = { SEGNO_HOME: join(folder, "home") };
  const { stdout } = await commandLine(["types", file, "--out", "-"], { cwd: folder, env });
  expect(stdout).toContain(text);
});

it("knows all that the release of the examples gives", async () => {
  const env = { SEGNO_HOME: join(folder, "home") };
  const { stdout } = await commandLine(["types", "examples/release.yaml", "--out", "-"], { cwd: resolve("."), env });
  expect([stdout.includes("uploads_tried: number"), stdout.includes("unknown")]).toEqual([true, false]);
});

/** What the compiler says of a program, with the types that users have. */
async function compiled(...files: readonly string[]): Promise<string> {
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  const { inside } = await packedOnce();
  for (const [name, there] of Object.entries({ segno: inside, zod: resolve("node_modules/zod") }))
    if (!existsSync(join(modules, name))) symlinkSync(there, join(modules, name));
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    typeRoots: [resolve("node_modules/@types")],
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const args = [resolve("node_modules/typescript/bin/tsc"), "--singleThreaded", "-p", folder];
  const tsc = spawnSync(process.execPath, args, { encoding: "utf8" });
  return tsc.stdout;
}

const DEFINITION = `
import { createSegno } from "segno";
import {
  agent, defineWorkflow, forEach, gate, http, parallel, raise, ref, script, set, step, terminate, wait, workflow,
} from "segno/workflow";
import { z } from "zod";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Same<A, B>) => is;

const packing = defineWorkflow({ name: "packing", input: z.object({ version: z.string(), level: z.number().default(9) }) })
  .step("zip", step(({ input }) => {
    same<typeof input, { version: string; level: number }>(true);
    return { file: input.version, parts: [{ size: 1 }] };
  }, { raises: ["zip.full", "zip.lost"] }))
  .routes(({ zip, end }) => [zip.to(end), zip.on("zip.lost", "internal.*", "policy.*", "circuit.open").to(end)])
  .output(({ steps }) => ({ file: steps.zip.output.file, parts: steps.zip.output.parts }));

const release = defineWorkflow({
  name: "release",
  input: {
    type: "object",
    properties: { version: { type: "string" }, dry: { type: "boolean", default: false }, tags: { type: "array", items: { type: "string" } } },
    required: ["version"],
  },
  limits: { max_iterations: 20 },
})
  .step("build", step(async ({ input, signal, raise: fail }) => {
    same<typeof input.dry, boolean>(true);
    same<typeof input.tags, readonly string[] | undefined>(true);
    if (signal.aborted) fail("build.broken", "stopped");
    if (input.dry) raise("build.broken", "dry");
    return { url: "http://x", score: 3 as number | null, list: ["a"] };
  }, { raises: ["build.broken"], version: 2, hash: true }))
  .step("upload", ({ steps }) => http({ method: "PUT", url: steps.build.output.url, output: z.object({ body: z.object({ id: z.number() }) }) }))
  .step("pack", ({ input }) => workflow(packing, { version: input.version }))
  .step("notes", ({ steps }) => agent({ prompt: \`About \${steps.pack.output.file}\`, output: z.object({ text: z.string() }), raises: ["notes.refused"] }))
  .step("checks", ({ steps }) => parallel({
    lint: script({ command: "lint", output: { type: "object", properties: { bad: { type: "number" } }, required: ["bad"] }, raises: ["lint.bad"] }),
    again: step({ input: { text: steps.notes.output.text, n: 1, later: ref<string>("ask.output.choice") }, run: ({ input }) => input }),
  }))
  .step("each", ({ steps }) => forEach(steps.build.output.list, ({ item }) => set({ item, twice: \`\${item}\${item}\` })))
  .step("ask", gate({ prompt: "Go?", options: { yes: "Yes", no: { label: "No", prompt_for: "why" } } }))
  .step("pause", wait("5s"))
  .step("stop", ({ error }) => terminate({ status: "failed", reason: error.message }))
  .routes(({ build, upload, pack, notes, checks, each, ask, pause, stop, end, everyStep }) => [
    build.to(upload), build.on("build.broken").retry({ max: 2 }), build.on("build.*").halt("no build"),
    upload.when(({ output }) => output.body.id).to(pack), upload.to(end), upload.on("http.*").to(stop),
    pack.to(notes), pack.on("zip.full").to(stop), notes.to(checks), notes.on("notes.refused").when("retries < 2").to(notes),
    checks.to(each), checks.on("lint.bad").to(stop), each.to(ask), checks.members.lint.on("lint.bad").retry(1),
    checks.members.again.on("*").when(({ output }) => output.n).retry({ max: 1 }), each.item.on("internal.*").retry(1), ask.chose("yes").to(pause), ask.chose("no").to(stop), pause.to(end),
    everyStep.on("internal.*", "policy.denied", "circuit.open", "provider.*", "mcp.*", "subworkflow.*", "gate.timeout").to(stop),
  ])
  .output(({ steps, input }) => ({
    id: steps.upload.output.body.id, status: steps.upload.output.status, bad: steps.checks.outputs.lint.bad,
    text: steps.checks.outputs.again.text, later: steps.checks.outputs.again.later, each: steps.each.outputs,
    choice: steps.ask.output.selected, score: steps.build.output.score, tag: \`v\${input.version}\`, count: "{{ build.output.list | length }}",
  }));

await using segno = createSegno({ workflows: [release] });
const result = await segno.run(release, { inputs: { version: "1" } });
if (result.status === "completed")
  same<typeof result.output, {
    id: number; status: number; bad: number; text: string; later: string; each: readonly { item: string; twice: string }[];
    choice: "yes" | "no"; score: number | null; tag: string; count: unknown;
  }>(true);
if (result.status === "failed") {
  const kind = result.error.kind;
  switch (kind) {
    case null: case "notes.refused": case "halt.intentional": break;
    default: { const none: never = kind; void none; }
  }
}
const packed = await segno.run(packing, { inputs: { version: "1" } });
if (packed.status === "failed") same<typeof packed.error.kind, "zip.full" | null>(true);
const stopping = defineWorkflow({ name: "stopping" })
  .step("look", step(() => ({ n: 1 }), { raises: ["look.bad"] }))
  .routes(({ look, end }) => [look.on("*").halt("no"), look.to(end)])
  .output(({ steps }) => ({ n: steps.look.output.n }));
const calling = defineWorkflow({ name: "calling" })
  .step("call", workflow(stopping, {}))
  .routes(({ call, end }) => [call.on("*").to(end), call.to(end)])
  .output(({ steps }) => ({ n: steps.call.output.n }));
const called = await segno.run(calling);
if (called.status === "failed") same<typeof called.error.kind, "halt.intentional" | null>(true);
const ending = defineWorkflow({ name: "ending" })
  .step("look", step(() => ({ n: 1 })))
  .step("none", terminate({ status: "success", reason: "none", output_template: { released: false } }))
  .step("bad", terminate({ status: "failed", reason: "bad", output_template: { why: "x" } }))
  .output(({ steps }) => ({ n: steps.look.output.n }));
const ended = await segno.run(ending);
if (ended.success) same<typeof ended.output, { n: number } | { released: boolean }>(true);
// @ts-expect-error: a version is required
await segno.run(release, { inputs: {} });
// @ts-expect-error: a version is a text
await segno.run(release, { inputs: { version: 1 } });

const base = defineWorkflow({ name: "w", input: z.object({ version: z.string() }) })
  .step("build", step(({ input }) => ({ url: input.version }), { raises: ["build.broken"] }));
// @ts-expect-error: there is no step biuld
base.routes(({ biuld, end }) => [biuld.to(end)]);
// @ts-expect-error: it raises no such kind
base.routes(({ build, end }) => [build.on("bild.broken").to(end)]);
// @ts-expect-error: nor one of these
base.routes(({ build, end }) => [build.on("http.*").to(end)]);
// @ts-expect-error: a route leads to a step
base.routes(({ build }) => [build.to("upload")]);
// @ts-expect-error: there is no such output
base.step("upload", ({ steps }) => http({ url: steps.build.output.ulr }));
// @ts-expect-error: there is no such step
base.step("upload", ({ steps }) => http({ url: steps.biuld.output.url }));
// @ts-expect-error: a reference is no text yet
base.step("upload", ({ steps }) => http({ url: steps.build.output.url.toUpperCase() }));
// @ts-expect-error: there is no such field
base.step("upload", http({ url: "x", mehtod: "PUT" }));
// @ts-expect-error: a url is needed
base.step("upload", http({ method: "PUT" }));
// @ts-expect-error: there is no such input
base.step("more", step(({ input }) => input.verison));
// @ts-expect-error: it does not declare this kind
base.step("more", step(({ raise: fail }) => fail("more.bad", "x"), { raises: ["more.good"] }));
// @ts-expect-error: there is one of that name
base.step("build", wait(1));
// @ts-expect-error: an input of the sub-workflow is missing
base.step("pack", workflow(packing, { level: 3 }));
// @ts-expect-error: no list
base.step("each", ({ steps }) => forEach(steps.build.output.url, () => wait(1)));
// @ts-expect-error: only gates have options
base.routes(({ build, end }) => [build.chose("yes").to(end)]);
// @ts-expect-error: no such option
base.step("ask", gate({ prompt: "?", options: { yes: "Yes" } })).routes(({ ask, end }) => [ask.chose("maybe").to(end)]);
`;

const WRITTEN = `
import type * as Computed from "${resolve(FROM_SCHEMAS.file)}";
import type * as Written from "./written.ts";
// Of \`policies\` the compiler does not know what is taken: a function reads it before its schema does.
type Fits<A, B> = [A] extends [B] ? ([Omit<B, "policies">] extends [Omit<A, "policies">] ? true : never) : never;
const same = <A, B>(_: Fits<A, B>) => {};
NAMES
`;

it("declares in the package what the sources compute from the schemas", { timeout: 600_000 }, async () => {
  const text = declarations().replace(
    /"(\.{1,2}\/[^"]+)"/g,
    (_, path) => `"${resolve(dirname(FROM_SCHEMAS.file), path)}"`,
  );
  writeFileSync(join(folder, "written.ts"), text);
  const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name);
  const source = readFileSync(FROM_SCHEMAS.file, "utf8");
  expect(names.sort()).toEqual([...source.matchAll(/^export type (\w+)/gm)].map(([, name]) => name).sort());
  const lines = names.map((name) => `same<Written.${name}, Computed.${name}>(true);`);
  writeFileSync(join(folder, "both.ts"), WRITTEN.replace("NAMES", lines.join("\n")));
  expect(await compiled("both.ts")).toBe("");
});

const MODULE = `
import { defineWorkflow, step } from "segno/workflow";
export default defineWorkflow({ name: "sum", input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } })
  .step("add", step(({ input }) => ({ sum: input.n + 1 }), { raises: ["sum.large"] }))
  .routes(({ add, end }) => [add.to(end), add.on("internal.*", "policy.*", "circuit.*").to(end)])
  .output(({ steps }) => ({ sum: steps.add.output.sum }));
`;

const RUNS_MODULE = `
import { createSegno } from "segno";
import sum from "./sum.workflow.ts";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Same<A, B>) => is;
const segno = createSegno({ workflows: [sum] });
const byPath = await segno.run("sum.workflow.ts", { inputs: { n: 1 } });
if (byPath.success) same<typeof byPath.output, { sum: number }>(true);
if (byPath.error) same<typeof byPath.error.kind, "sum.large" | null>(true);
const again = await segno.runs.resume<typeof sum>(byPath.runId ?? "");
same<typeof again, typeof byPath>(true);
// @ts-expect-error: n is a number
await segno.run("sum.workflow.ts", { inputs: { n: "1" } });
`;

it("types a workflow in TypeScript by its path, as `segno types` declares it", { timeout: 600_000 }, async () => {
  mkdirSync(join(folder, "module"), { recursive: true });
  writeFileSync(join(folder, "module/sum.workflow.ts"), MODULE);
  writeFileSync(
    join(folder, "module/segno.d.ts"),
    'import "segno";\ndeclare module "segno" {\n  interface Workflows {\n    "sum.workflow.ts": typeof import("./sum.workflow.ts").default;\n  }\n}\n',
  );
  writeFileSync(join(folder, "module/use.ts"), RUNS_MODULE);
  expect(await compiled("module/use.ts", "module/segno.d.ts")).toBe("");
});

it("types definitions: steps, routes, kinds and outputs, and refuses what is wrong", { timeout: 600_000 }, async () => {
  writeFileSync(join(folder, "definition.ts"), DEFINITION);
  copyFileSync("examples/typescript/release.workflow.ts", join(folder, "release.workflow.ts"));
  expect(await compiled("definition.ts", "release.workflow.ts")).toBe("");
});

it("leaves of the declarations what is reached, a union with comments in it as a whole", async () => {
  const { pruneTypes } = await import(resolve("scripts/build/prune-types.mjs"));
  const types = join(folder, "pruned");
  mkdirSync(types);
  const kept = "export type Kept = {\n    readonly a: 1;\n}\n/** Or this. */\n | {\n    readonly b: Also;\n};\n";
  const also = "export interface Also {\n    readonly c: 2;\n}\n";
  writeFileSync(join(types, "door.d.ts"), 'export { type Kept } from "./inner.ts";\n');
  writeFileSync(join(types, "inner.d.ts"), `${kept}/** Internal. */\nexport type Other = 3;\n${also}`);
  pruneTypes(types, ["door.d.ts"]);
  expect(readFileSync(join(types, "inner.d.ts"), "utf8")).toBe(kept + also);
});
