// The built program on a machine where it has never run, and where what it kept there has come to harm.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAnthropicFake } from "../fakes/index.ts";

let folder: string;
let number = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-first-"));
  mkdirSync(join(folder, "dist"));
  for (const name of ["main.cjs", "index.js", "parts"])
    cpSync(join("dist", name), join(folder, "dist", name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(folder, "set.yaml"),
    "workflow: { name: w, entry_point: a }\noutput: { is: '{{ a.output }}' }\nagents: [{ name: a, type: set, value: 42 }]\n",
  );
  writeFileSync(
    join(folder, "agent.yaml"),
    "workflow: { name: w, entry_point: a, runtime: { provider: anthropic, default_model: m } }\nagents: [{ name: a, prompt: hello }]\n",
  );
  writeFileSync(
    join(folder, "library.mjs"),
    `import { run } from "./dist/index.js";
console.log(JSON.stringify((await run("set.yaml")).output));
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>, input = ""): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", SEGNO_HOME: join(folder, "home"), NO_COLOR: "1", ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

const newCache = (): string => join(folder, `cache-${number++}`);
const segno = (args: readonly string[], cache: string, more: Readonly<Record<string, string>> = {}, input = "") =>
  start([join(folder, "dist/main.cjs"), ...args], { XDG_CACHE_HOME: cache, ...more }, input);
const runSet = (cache: string): Promise<Ended> => segno(["run", "-q", "--output-format", "json", "set.yaml"], cache);
const kept = (cache: string): string[] => readdirSync(join(cache, "segno")).map((name) => join(cache, "segno", name));

const outputOf = ({ code, stdout }: Ended): unknown =>
  code === 0 ? (JSON.parse(stdout) as { readonly output: unknown }).output : { code, stdout };

describe("a first start", () => {
  it("of a run with an agent warns of nothing", async () => {
    const fake = await startAnthropicFake({ answers: () => "hello" });
    try {
      const { code, stderr } = await segno(["run", "-q", "--output-format", "json", "agent.yaml"], newCache(), {
        ANTHROPIC_BASE_URL: fake.url,
        ANTHROPIC_API_KEY: "key-of-nobody",
      });
      expect([code, stderr.includes("Warning")]).toEqual([0, false]);
    } finally {
      await fake.close();
    }
  });

  it("of the MCP server warns of nothing", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const call = { name: "validate_workflow", arguments: { file: "set.yaml" } };
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: call },
    ];
    const said = await segno(["mcp"], newCache(), {}, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(said.stdout).toContain('"id":3');
    expect(said.stderr).not.toContain("Warning");
  });

  it.each([
    ["a home that cannot be written to", { HOME: "/proc/nowhere" }],
    ["a cache folder that cannot be made", { XDG_CACHE_HOME: "/proc/nowhere" }],
    ["no home at all", {}],
  ])("with %s runs, and says nothing", async (_, env) => {
    const ended = await start([join(folder, "dist/main.cjs"), "run", "-q", "--output-format", "json", "set.yaml"], env);
    expect([outputOf(ended), ended.stderr.includes("Warning")]).toEqual([{ is: 42 }, false]);
    const library = await start(["library.mjs"], env);
    expect(library).toEqual({ code: 0, stdout: '{"is":42}\n', stderr: "" });
  });

  it("writes nothing into the package", async () => {
    const before = readdirSync(join(folder, "dist/parts"));
    const cache = newCache();
    await runSet(cache);
    expect(readdirSync(join(folder, "dist/parts"))).toEqual(before);
    expect(kept(cache).length).toBeGreaterThan(2);
  });
});

describe("what was kept, and is", () => {
  const page = (bytes: Buffer, at: number): Buffer => Buffer.from(bytes).fill(0, at * 4096, (at + 1) * 4096);

  it.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ["zeroed in its first page", (bytes) => page(bytes, 0)],
    ["zeroed in its middle", (bytes) => page(bytes, bytes.length >> 13)],
  ])("%s, is made again without a word", async (_, spoil) => {
    const cache = newCache();
    const { stderr } = await runSet(cache);
    for (const path of kept(cache)) writeFileSync(path, spoil(readFileSync(path)), { mode: 0o600 });
    const spoiled = new Map(kept(cache).map((path) => [path, readFileSync(path)]));
    const again = await runSet(cache);
    expect(outputOf(again)).toEqual({ is: 42 });
    expect(again.stderr.split("\n")).toHaveLength(stderr.split("\n").length);
    for (const path of kept(cache)) expect(readFileSync(path).equals(spoiled.get(path) ?? Buffer.of())).toBe(false);
  });

  it("of a text that was edited without a change of its length, is not used", async () => {
    const cache = newCache();
    const shown = async () => (await segno(["--help"], cache)).stdout;
    const before = await shown();
    // A build may have left those of the one before.
    const helps = readdirSync(join(folder, "dist/parts"))
      .map((name) => join(folder, "dist/parts", name))
      .filter((path) => readFileSync(path, "latin1").includes("runs workflows whose"));
    const edit = (from: string, to: string): void => {
      for (const path of helps) writeFileSync(path, readFileSync(path, "latin1").replaceAll(from, to), "latin1");
    };
    edit("runs workflows whose", "runs workflowz whose");
    const after = await shown();
    edit("runs workflowz whose", "runs workflows whose");
    expect(before).toContain("runs workflows whose");
    expect(after).toContain("runs workflowz whose");
  });
});
