// What `segno --version` and `segno validate` load. A heavy import that slips into a shared chunk costs every call.
import { resolve } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

let outputs: Metafile["outputs"];

beforeAll(async () => {
  const { split }: { split: (entries: readonly string[], version: string) => Promise<BuildOptions> } = await import(
    resolve("scripts/build/split.mjs")
  );
  const settings = await split(["src/main.ts", "src/index.ts", "src/template/index.ts"], "0");
  const { metafile } = await build({ ...settings, outdir: "dist", write: false, metafile: true });
  outputs = metafile?.outputs ?? {};
});

/** Source files in a chunk and in all that it imports at once. */
function loadedWith(chunk: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  const output = outputs[chunk];
  if (!output) return [];
  const own = Object.keys(output.inputs);
  return [
    ...own,
    ...output.imports.filter(({ kind }) => kind === "import-statement").flatMap(({ path }) => loadedWith(path, seen)),
  ];
}

const chunkOf = (entry: string): string =>
  Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry) ?? "";
const from = (files: readonly string[], what: RegExp): readonly string[] =>
  files.filter((file) => what.test(file)).sort();

/** What step types say of themselves; nothing that builds a schema or carries a step out. */
const OF_STEP_TYPES =
  /^door:|^src\/steps\/((?!process)[\w-]+\/index|types|output-shape|targets|schema\/(judgements|once|parse-duration|readings))\.ts$/;

describe("what is loaded", () => {
  it("for --version is the bin alone", () => {
    expect(loadedWith(chunkOf("src/main.ts"))).toEqual(["src/main.ts"]);
  });

  it("to find a command is neither schemas, nor YAML, nor a store, nor a service", () => {
    const files = loadedWith(chunkOf("src/cli/start.ts"));
    expect(files).toContain("src/cli/start.ts");
    expect(
      from(
        files,
        /node_modules\/(zod|yaml|@clack|ai|@ai-sdk|@modelcontextprotocol)\/|libsql|src\/(services|engine|language|hosts|steps|providers)\//,
      ),
      // Whether there is a project has to be known first; it looks at names alone. On Windows the environment has any case.
    ).toEqual([
      "src/services/project/find-project.ts",
      "src/services/session/environment-here.ts",
      "src/services/session/session.ts",
      "src/steps/process/platform.ts",
      "src/steps/process/windows-environment.ts",
    ]);
  });

  it("to validate is no provider, no store, no MCP, no prompts", () => {
    const files = loadedWith(chunkOf("src/cli/commands/validate.ts"));
    expect(files).toContain("src/services/workflows/validate.ts");
    expect(
      from(
        files,
        /node_modules\/(@clack|ai|@ai-sdk|@modelcontextprotocol)\/|libsql|src\/(hosts(?!\/(?:store-error|regular-file)\.ts)|providers|steps(?!\/process\/(?:open-file|platform|windows-(?:command|environment|system))\.ts))\//,
      ).filter((file) => !OF_STEP_TYPES.test(file)),
    ).toEqual([]);
  });

  it.each(["run", "resume", "test"])("to %s is nothing of telemetry but the question whether it is on", (command) => {
    const files = loadedWith(chunkOf(`src/cli/commands/${command}.ts`));
    expect(files.length).toBeGreaterThan(10);
    expect(from(files, /src\/services\/telemetry\/(?!switch\.ts)/)).toEqual([]);
    expect(Object.values(outputs).some(({ inputs }) => "src/services/telemetry/index.ts" in inputs)).toBe(true);
  });

  it.each(["validate", "run"])("to %s a file with nothing unusual is no schema and no YAML library", (command) => {
    const files = loadedWith(chunkOf(`src/cli/commands/${command}.ts`));
    expect(files).toContain("src/language/quick/quick-file.ts");
    expect(from(files, /node_modules\/(zod|yaml)\//)).toEqual([]);
  });
});
