// What the package hands out, to the name. A name that comes or goes is a decision, and is made here.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { stepFiles } from "../../../../scripts/build/settings.mjs";
import { forbidden, loadedWith } from "../../../../test/support/built.ts";
import { COMMANDS } from "../../cli/table/index.ts";

/** The names that a file exports: those that it hands on, all of a file with a star, and its own. */
function* exported(file: string): Iterable<string> {
  const source = readFileSync(file, "utf8");
  for (const [, path = ""] of source.matchAll(/^export (?:type )?\* from "(.*)"/gm))
    yield* exported(join(dirname(file), path));
  for (const [, names = ""] of source.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
    for (const name of names.split(",")) if (name.trim() !== "") yield name.trim().replace(/^type |^\w+ as /, "");
  const own = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type) (\w+)/gm;
  for (const [, name = ""] of source.matchAll(own)) yield name;
}

describe("the public surface", () => {
  it('of "segno"', async () => {
    expect(Object.keys(await import("../../../index.ts")).sort()).toEqual([
      "AgentAvailability",
      "BREAKER_DEFAULTS",
      "CircuitBreaker",
      "CircuitOpenError",
      "DeadLetterQueue",
      "ErrorHandler",
      "MaxConcurrentTasks",
      "NotStartedError",
      "PhaseGate",
      "PolicyEngine",
      "PolicyViolationError",
      "RETRY_DEFAULTS",
      "RetryPolicy",
      "SpendLimit",
      "TaskTimeout",
      "asRaised",
      "backtest",
      "breakers",
      "cancel",
      "createSegno",
      "defineGrader",
      "definePolicy",
      "defineProvider",
      "defineStep",
      "doctor",
      "errors",
      "events",
      "explain",
      "failed",
      "gates",
      "generateScenarios",
      "graph",
      "init",
      "letters",
      "loadWorkflow",
      "matches",
      "openStore",
      "plan",
      "prune",
      "raise",
      "raised",
      "record",
      "repair",
      "replay",
      "resume",
      "run",
      "runEval",
      "runs",
      "schema",
      "show",
      "succeeded",
      "test",
      "trace",
      "validate",
    ]);
  });

  it("is on the page, types too, and the page names nothing else", async () => {
    const page = readFileSync("docs/library.md", "utf8");
    const [, list = ""] = page.split("## Everything that is exported");
    const named = [...list.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
    expect([...named].sort()).toEqual([...new Set(exported("src/index.ts"))].sort());
  });

  it("has a function for every command, and the page says which", async () => {
    const { createSegno } = await import("../../../index.ts");
    const client: unknown = createSegno();
    const page = readFileSync("docs/library.md", "utf8");
    const rows = [...page.matchAll(/^\| (`segno [^|]*) \| ([^|]*) \|$/gm)];
    const commands = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`segno ([^`]+)`/g)].map(([, name]) => name));
    expect(commands.sort()).toEqual(
      COMMANDS.filter(({ load }) => load)
        .map(({ name }) => name)
        .sort(),
    );
    for (const [, , cell = ""] of rows)
      for (const [, path = ""] of cell.matchAll(/`([a-zA-Z.]+)`/g)) {
        const found = path
          .split(".")
          .slice(1)
          .reduce((there, name) => (there as Readonly<Record<string, unknown>>)[name], client);
        expect(found, path).toBeTypeOf("function");
      }
  });

  it('of "segno/raise"', async () => {
    expect(Object.keys(await import("../../../base/errors/raise.ts"))).toEqual(["raise"]);
  });

  it('of "segno/template"', async () => {
    expect(Object.keys(await import("../../../template/index.ts")).sort()).toEqual([
      "DEFAULT_LIMITS",
      "MISSING",
      "TemplateError",
      "coerce",
      "compile",
      "compileCondition",
      "evaluate",
      "expressionReferences",
      "references",
      "render",
      "resolveFlattened",
    ]);
  });

  it('of "segno/workflow"', async () => {
    expect(Object.keys(await import("../../../features/typescript/library/index.ts")).sort()).toEqual(
      "agent defineWorkflow forEach gate http mcp parallel questions raise ref script set step terminate wait workflow".split(
        " ",
      ),
    );
  });
});

describe("importing", () => {
  it('"segno" loads neither schemas, nor YAML, nor a store, nor providers', () => {
    const files = loadedWith("src/index.ts");
    expect(files).toContain("src/frontends/library/run.ts");
    const places = ["node_modules/", "src/services/", "src/language/", "src/storage/", "src/steps/", "src/template/"];
    const ofStepTypes = [...stepFiles("index.ts"), "src/steps/step-type.ts", "src/steps/types.ts"];
    // The environment, by names in any case where that is needed; a breaker that knows how to ask a store; what a definition is.
    expect(forbidden(files, places, ofStepTypes)).toEqual([
      "src/services/own-steps/definition.ts",
      "src/services/resilience/store-breaker.ts",
      "src/services/session/kept-code.ts",
      "src/services/session/session.ts",
      "src/steps/process/platform.ts",
    ]);
  });

  it('"segno/raise" loads nothing else', () => {
    expect(loadedWith("src/base/errors/raise.ts")).toEqual(["src/base/errors/raise.ts"]);
  });

  it('"segno/template" loads only itself, and the guard of all JSON', () => {
    const others = loadedWith("src/template/index.ts").filter((file) => !file.startsWith("src/template/"));
    expect(others).toEqual(["src/base/json/bounded.ts"]);
  });

  it("and running an own step loads neither schemas, nor what starts processes", () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-own-"));
    const text = `
      import { writeFileSync } from "node:fs";
      import { createSegno, defineStep, succeeded } from ${JSON.stringify(pathToFileURL("dist/index.js").href)};
      const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
      const isLoaded = (name) => process.moduleLoadList.includes("NativeModule " + name);
      const execute = () => succeeded(["child_process", "net", "v8"].filter(isLoaded));
      const own = defineStep({ type: "own", description: "says what is loaded", schema, execute });
      writeFileSync("own.yaml", "workflow: { name: w, entry_point: a }\\nagents: [{ name: a, type: own, n: 1 }]\\noutput: { all: '{{ a.output }}' }");
      const { output } = await createSegno({ steps: [own], store: "runs" }).run("own.yaml");
      console.log(JSON.stringify(output));`;
    try {
      const { NODE_OPTIONS: _, ...rest } = process.env;
      const env = { ...rest, XDG_CACHE_HOME: join(folder, "cache"), LOCALAPPDATA: join(folder, "cache") };
      writeFileSync(join(folder, "own.mjs"), text);
      const printed = execFileSync(process.execPath, ["own.mjs"], { cwd: folder, env });
      expect(JSON.parse(printed.toString())).toEqual({ all: [] });
      const scripts = readdirSync(join(folder, "cache/segno"));
      expect(scripts.some((name) => name.startsWith("run-library-run-"))).toBe(true);
      expect(scripts.filter((name) => name.includes("schemas"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
