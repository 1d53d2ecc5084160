// What the package hands out, to the name. A name that comes or goes is a decision, and is made here.
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";

describe("the public surface", () => {
  it('of "segno"', async () => {
    expect(Object.keys(await import("../../src/index.ts")).sort()).toEqual([
      "AgentAvailability",
      "BREAKER_DEFAULTS",
      "CircuitBreaker",
      "CircuitOpenError",
      "ErrorHandler",
      "MaxConcurrentTasks",
      "PhaseGate",
      "PolicyEngine",
      "PolicyViolationError",
      "RETRY_DEFAULTS",
      "RetryPolicy",
      "SpendLimit",
      "TaskTimeout",
      "definePolicy",
      "defineProvider",
      "defineStep",
      "failed",
      "loadWorkflow",
      "matches",
      "openStore",
      "raise",
      "raised",
      "resume",
      "run",
      "succeeded",
      "validate",
    ]);
  });

  it('of "segno/raise"', async () => {
    expect(Object.keys(await import("../../src/errors/raise.ts"))).toEqual(["raise"]);
  });

  it('of "segno/template"', async () => {
    expect(Object.keys(await import("../../src/template/index.ts")).sort()).toEqual([
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
});

describe("importing", () => {
  const loadedAtOnce = async (entry: string): Promise<readonly string[]> => {
    const { metafile } = await build({
      entryPoints: { entry },
      outdir: "dist",
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      external: ["libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk"],
      logLevel: "silent",
    });
    return [...filesOf(metafile.outputs, "dist/entry.js")];
  };
  function* filesOf(outputs: Metafile["outputs"], chunk: string, seen = new Set<string>()): Iterable<string> {
    if (seen.has(chunk)) return;
    seen.add(chunk);
    const output = outputs[chunk];
    yield* Object.keys(output?.inputs ?? {});
    for (const { path, kind } of output?.imports ?? [])
      if (kind === "import-statement") yield* filesOf(outputs, path, seen);
  }

  it('"segno" loads neither schemas, nor YAML, nor a store, nor providers', async () => {
    const files = await loadedAtOnce("src/index.ts");
    expect(files).toContain("src/library/run.ts");
    expect(files.filter((file) => /node_modules|src\/(services|language|hosts|steps|template)\//.test(file))).toEqual(
      [],
    );
  });

  it('"segno/raise" loads nothing else', async () => {
    expect(await loadedAtOnce("src/errors/raise.ts")).toEqual(["src/errors/raise.ts"]);
  });

  it('"segno/template" loads only itself', async () => {
    expect((await loadedAtOnce("src/template/index.ts")).filter((file) => !file.startsWith("src/template/"))).toEqual(
      [],
    );
  });
});
