// The package as users get it: what is in it, that it installs into an empty folder, runs, and has types that stand alone.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedOnce } from "./pack-copy.ts";

let folder: string;
let user: string;
let packed: readonly string[];
let installed: string;

const node = (cwd: string, ...args: readonly string[]) => start(process.execPath, args, cwd);

function start(command: string, args: readonly string[], cwd: string) {
  const { SEGNO_HOME: _, NODE_ENV: _env, VITEST: _vitest, ...env } = process.env;
  const done = spawnSync(command, args, {
    cwd,
    env: { ...env, SEGNO_HOME: join(folder, "home") },
    encoding: "utf8",
    timeout: 240_000,
  });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "segno-user-"));
  // Nobody else writes there.
  ({ user, packed, said: installed } = await packedOnce());
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("has the program, the library, types, docs and examples, and nothing else", () => {
    const tops = new Set(
      packed.map((path) =>
        path
          .split("/")
          .slice(0, path.startsWith("dist/") ? 2 : 1)
          .join("/"),
      ),
    );
    expect([...tops].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "THIRD_PARTY_LICENSES",
      "dist/index.js",
      "dist/main.cjs",
      "dist/main.js",
      "dist/page",
      "dist/parts",
      "dist/plugin-gate.js",
      "dist/raise.js",
      "dist/template.js",
      "dist/types",
      "dist/workflow.js",
      "docs",
      "examples",
      "package.json",
      "sbom.cdx.json",
    ]);
    // An example has a test of its own, for its agent to mend.
    const unwanted = /^(?!examples\/).*\.test\.|\.cache$|node_modules|^(?!dist\/parts\/).*\.map$|release\/work/;
    expect(packed.filter((path) => unwanted.test(path))).toEqual([]);
    for (const path of ["examples/release.yaml", "dist/types/index.d.ts"]) expect(packed).toContain(path);
  });

  it("has no switch that leaves a part of the fleet's protocol out", () => {
    const scripts = packed.filter((path) => /^dist\/.*js$/.test(path));
    const texts = scripts.map((path) => readFileSync(join(user, "node_modules/segno", path), "utf8"));
    expect(texts.filter((text) => text.includes("segno.leases")).length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes("SEGNO_MUTANT"))).toEqual([]);
  });

  it("leads every door to a file that is there", () => {
    const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const doors = [...Object.values(exports), bin].flatMap((door) =>
      typeof door === "string" ? [door] : Object.values(door),
    );
    expect(doors.map((door) => door.replace(/^\.\//, "")).filter((door) => !packed.includes(door))).toEqual([]);
  });

  it("has no script that npm would run, or warn about, when it is installed", () => {
    const { scripts } = JSON.parse(readFileSync(join(user, "node_modules/segno/package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(Object.keys(scripts).filter((name) => /^(prepare|(pre|post)?install)$/.test(name))).toEqual([]);
    expect(installed).not.toContain("install-scripts");
  });

  it("needs at run time only what is native or loaded by name", () => {
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies)).toEqual(["libsql", "yaml"]);
    expect(existsSync(join(user, "node_modules/zod"))).toBe(false);
  });
});

describe("in an empty folder, once installed", () => {
  const segno = (...args: readonly string[]) => start(join(user, "node_modules/.bin/segno"), args, user);

  it("runs every command of the README, as it is written there", () => {
    const blocks = [...readFileSync("README.md", "utf8").matchAll(/```sh\n([^`]*)```/g)].map(([, text]) => text ?? "");
    const lines = blocks.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("npx segno"));
    expect(lines.length).toBeGreaterThan(3);
    const first = "npx segno run node_modules/segno/examples/release.yaml";
    expect(lines).toContain(first);
    const place = join(folder, "newcomer");
    mkdirSync(place);
    symlinkSync(join(user, "node_modules"), join(place, "node_modules"));
    for (const line of lines) {
      const { code, stdout, stderr } = start("sh", ["-c", line], place);
      expect(`${line}: ${code === 0 ? 0 : stderr}`).toBe(`${line}: 0`);
      if (line !== first) continue;
      expect(() => JSON.parse(stdout)).not.toThrow();
      expect(stderr).toContain("retry 1 of 4");
    }
  });

  it("raises from a script by segno/raise, and ends by terminate, as the example does", () => {
    const raised = (port: string) => {
      const args = ["run", "node_modules/segno/examples/raise.yaml", "-i", `port=${port}`, "--output-format", "json"];
      const { exit_code, output, termination } = JSON.parse(segno(...args).stdout);
      return [exit_code, output, termination?.reason];
    };
    expect(raised("8080")).toEqual([0, { port: 8080 }, undefined]);
    expect(raised("80")).toEqual([0, { port: 8080 }, undefined]);
    expect(raised("x")).toEqual([1, { kind: "port.not_a_number" }, '"x" is no port']);
  });

  it("loads a package that somebody installed, also when its own code is kept compiled", () => {
    const sdk = join(user, "node_modules/@github/copilot-sdk");
    mkdirSync(sdk, { recursive: true });
    writeFileSync(join(sdk, "package.json"), '{"name":"@github/copilot-sdk","type":"module","exports":"./index.js"}');
    writeFileSync(join(sdk, "index.js"), "export class CopilotClient {}\n");
    for (let times = 0; times < 3; times++) expect(segno("doctor").stdout).toContain("copilot-sdk is installed");
    rmSync(sdk, { recursive: true });
  });

  it("validates YAML of any kind, gives schemas and answers MCP", () => {
    writeFileSync(
      join(user, "any.yaml"),
      "%YAML 1.2\n---\nworkflow: &w { name: any, entry_point: a }\nagents:\n  - ? name\n    : a\n    type: set\n    value: !!str 1\n",
    );
    expect(segno("validate", "any.yaml")).toMatchObject({ code: 0 });
    expect(JSON.parse(segno("schema", "result").stdout)).toHaveProperty("properties.checkpoint");
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    const read = { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "segno://language" } };
    const said = spawnSync(join(user, "node_modules/.bin/segno"), ["mcp"], {
      cwd: user,
      env: { ...process.env, SEGNO_HOME: join(folder, "home") },
      input: `${JSON.stringify(hello)}\n${JSON.stringify(read)}\n`,
      encoding: "utf8",
      timeout: 150_000,
    });
    expect(said.stdout).toContain('"name":"segno"');
    // The docs came with the package, and the last question is answered although nothing more was asked.
    const answers = said.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: number });
    expect(answers.find(({ id }) => id === 2)).toHaveProperty("result.contents");
  });

  it("is a library that runs workflows", () => {
    writeFileSync(
      join(user, "use.mjs"),
      `import { run, openStore, RetryPolicy } from "segno";
import { render } from "segno/template";
import { raise } from "segno/raise";
const result = await run("node_modules/segno/examples/for-each.yaml", { store: openStore("store") });
console.log(JSON.stringify([result.status, render("{{ 1 + 1 }}", {}), typeof raise, typeof RetryPolicy]));
`,
    );
    const { stdout, stderr } = node(user, "use.mjs");
    expect([stdout.trim(), stderr]).toEqual([
      expect.stringMatching(/^\["(completed|degraded)","2","function","function"\]$/),
      "",
    ]);
  });

  it("has types that compile without skipLibCheck, and without any other package", () => {
    writeFileSync(
      join(user, "use.ts"),
      `import { type Envelope, type Result, defineStep, loadWorkflow, run, succeeded, validate } from "segno";
import { raise } from "segno/raise";
import { render, TemplateError } from "segno/template";
const step = defineStep<{ text: string }>({ type: "say", description: "", schema: {}, execute: ({ text }) => succeeded(text) });
const result: Result = await run(await loadWorkflow("x.yaml"), { steps: [step], on: ({ type, data }) => void [type, data] });
const envelope: Envelope | null | undefined = result.errors[0]?.cause;
export { envelope, raise, render, TemplateError, validate };
// @ts-expect-error: inputs are a mapping
await run("x.yaml", { inputs: 3 });
`,
    );
    expect(compiled(["use.ts"], [])).toEqual([0, ""]);
  });

  it("compiles every TypeScript example of its docs, as it stands there, strictly and without skipLibCheck", () => {
    const pages = packed.filter((path) => /^(docs\/.*|README)\.md$/.test(path));
    const blocks = pages.flatMap((page) => {
      const text = readFileSync(join(user, "node_modules/segno", page), "utf8");
      return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""], at) => {
        const name = `${page.replaceAll("/", "-")}-${at}.ts`;
        writeFileSync(join(user, name), code);
        return name;
      });
    });
    expect(blocks.length).toBeGreaterThan(20);
    for (const name of ["@types", "undici-types", "zod"])
      symlinkSync(resolve("node_modules", name), join(user, "node_modules", name));
    expect(compiled(blocks, ["node"])).toEqual([0, ""]);
  });

  /** Files of the user, compiled as strictly as can be. */
  function compiled(files: readonly string[], types: readonly string[]) {
    const compilerOptions = {
      target: "ES2022",
      lib: ["ES2023", "DOM"],
      module: "NodeNext",
      types,
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    };
    writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { code, stdout } = node(user, resolve("node_modules/typescript/bin/tsc"), "--singleThreaded", "-p", ".");
    return [code, stdout];
  }
});
