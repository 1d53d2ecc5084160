// Each face once, as packed: the command line, the library, MCP, the server with its page, and the README's first commands.
// Everything about them is tested elsewhere; here it is seen that what users get starts and does its job. The files that npm
// would pack are copied beside the project's own dependencies: test/package packs and installs them for real.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;
let program: string;
let env: Record<string, string | undefined>;
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-smoke-"));
  const { PATH } = process.env;
  env = {
    PATH,
    HOME: folder,
    SEGNO_HOME: join(folder, ".home"),
    XDG_CACHE_HOME: join(folder, ".cache"),
    NO_COLOR: "1",
  };
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const path of packedFiles()) cpSync(path, join(modules, "segno", path), { recursive: true });
  for (const name of ["libsql", "yaml"]) symlinkSync(resolve("node_modules", name), join(modules, name));
  program = join(modules, "segno/dist/main.cjs");
});

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** By `files` of package.json, where a star stands for the names in one folder. What is left out of them is not needed here. */
function packedFiles(): readonly string[] {
  const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: readonly string[] };
  const taken = files.filter((path) => !path.startsWith("!") && path !== "dist/types");
  return ["package.json", ...taken].flatMap((path) => {
    const [before, after] = path.split("*");
    if (before === undefined || after === undefined) return [path];
    return readdirSync(dirname(path)).flatMap((name) => (name.endsWith(after) ? [join(before, name)] : []));
  });
}

function node(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    input,
    encoding: "utf8",
    timeout: 150_000,
  });
  return { code: status, stdout, stderr };
}

const segno = (...args: readonly string[]) => node([program, ...args]);

it("says its version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const args of [["--version"], ["-V"], ["--version", "--no-color"]])
    expect(segno(...args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

it("runs the README's first commands", () => {
  const readme = readFileSync("README.md", "utf8");
  const lines = [...readme.matchAll(/^npx segno (.+)$/gm)].map(([, line]) => (line ?? "").split(" "));
  expect(lines.map(([command]) => command)).toEqual(["run", "init", "run", "test"]);
  for (const line of lines) {
    const { code, stderr } = segno(...line);
    expect([line, code, code === 0 ? "" : stderr]).toEqual([line, 0, ""]);
  }
});

it("reports a failed step on the command line, and resumes it", () => {
  writeFileSync(
    join(folder, "fails.yaml"),
    "workflow: { name: fails, entry_point: a }\nagents: [{ name: a, type: script, command: ./there }]\n",
  );
  const failed = segno("run", "fails.yaml", "--output-format", "json");
  expect([failed.code, JSON.parse(failed.stdout).errors[0].kind]).toEqual([3, "internal.command_not_found"]);
  writeFileSync(join(folder, "there"), "#!/bin/sh\n", { mode: 0o755 });
  expect(segno("resume", "fails.yaml")).toMatchObject({ code: 0 });
});

it("runs a workflow in TypeScript where Node reads it, and says what to install where nothing does", () => {
  writeFileSync(join(folder, "segno.yaml"), "workflows: [typed.workflow.ts]\n");
  writeFileSync(
    join(folder, "typed.workflow.ts"),
    'import { defineWorkflow, step } from "segno/workflow";\nconst one: number = 1;\nexport default defineWorkflow({ name: "typed" }).step("a", step(() => one));\n',
  );
  try {
    expect(segno("trust", "--yes").code).toBe(0);
    const { code, stderr } = segno("run", "typed.workflow.ts");
    if ("stripTypeScriptTypes" in Module) expect([code, stderr.includes("Warning")]).toEqual([0, false]);
    else
      expect([code, stderr]).toEqual([
        2,
        `segno: typed.workflow.ts is TypeScript, which Node ${process.versions.node} does not read\nInstall esbuild beside Segno (npm install esbuild), or use Node 22.13 or newer.\n`,
      ]);
  } finally {
    rmSync(join(folder, "segno.yaml"));
  }
});

it("is a library", () => {
  writeFileSync(
    join(folder, "use.mjs"),
    `import { run } from "segno";
import { render } from "segno/template";
const result = await run("hello.yaml", { env: process.env });
console.log(JSON.stringify([result.status, render("{{ 1 + 1 }}", {})]));
`,
  );
  expect(node(["use.mjs"])).toMatchObject({ code: 0, stdout: '["completed","2"]\n' });
});

it("answers MCP", () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "smoke", version: "1" } };
  const questions = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "workflow_validate", arguments: { file: "hello.yaml" } },
    },
  ];
  const { stdout } = node([program, "mcp"], questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.find(({ id }) => id === 2)?.result).toMatchObject({ structuredContent: { status: "valid" } });
});

it("serves runs, and the page over HTTP", async () => {
  const child = spawn(process.execPath, [program, "serve", "--port", "0"], { cwd: folder, env, stdio: "pipe" });
  children.push(child);
  const address = await new Promise<RegExpExecArray>((found) =>
    createInterface({ input: child.stderr }).on("line", (line) => {
      const match = /(http:\/\/[^/]+)\/#token=(\S+)/.exec(line);
      if (match) found(match);
    }),
  );
  const [, url = "", token] = address;
  const page = await (await fetch(url)).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? "";
  expect((await fetch(new URL(script, url))).headers.get("content-type")).toContain("javascript");
  const headers = { "content-type": "application/json", origin: url };
  const session = await fetch(`${url}/api/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const authorization = `Bearer ${((await session.json()) as { readonly session: string }).session}`;
  const runs = await fetch(`${url}/api/runs`, { headers: { authorization } });
  expect(await runs.text()).toContain('"fails"');
});
