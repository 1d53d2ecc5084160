// What `segno --version` and `segno validate` load. A heavy import that slips into a shared chunk costs every call.
import { describe, expect, it } from "vitest";
import { isBuilt, loadedWith } from "../../test/support/built.ts";

const from = (files: readonly string[], what: RegExp): readonly string[] =>
  files.filter((file) => what.test(file)).sort();

/** What step types say of themselves; nothing that builds a schema or carries a step out. */
const OF_STEP_TYPES =
  /^door:|^src\/steps\/((?!process)[\w-]+\/index|types|step-type|schema\/(judgements|readings))\.ts$/;

describe("what is loaded", () => {
  it("for --version is the bin alone", () => {
    expect(loadedWith("src/main.ts")).toEqual(["src/main.ts"]);
  });

  it("to find a command is neither schemas, nor YAML, nor a store, nor a service", () => {
    const files = loadedWith("src/cli/start.ts");
    expect(files).toContain("src/cli/start.ts");
    expect(
      from(
        files,
        /node_modules\/(zod|yaml|@clack|ai|@ai-sdk|@modelcontextprotocol)\/|libsql|src\/(services|engine|language|hosts|steps|providers)\//,
      ),
      // Whether there is a project has to be known first; it looks at names alone. On Windows the environment has any case.
    ).toEqual([
      "src/services/project/find-project.ts",
      "src/services/session/kept-code.ts",
      "src/services/session/session.ts",
      "src/steps/process/platform.ts",
    ]);
  });

  it("to validate is no provider, no store, no MCP, no prompts", () => {
    const files = loadedWith("src/cli/commands/validate.ts");
    expect(files).toContain("src/services/workflows/validate.ts");
    expect(
      from(
        files,
        /node_modules\/(@clack|ai|@ai-sdk|@modelcontextprotocol)\/|libsql|src\/(hosts(?!\/(?:store-error|regular-file)\.ts)|providers|steps(?!\/process\/(?:open-file|platform|windows-(?:command|system))\.ts))\//,
      ).filter((file) => !OF_STEP_TYPES.test(file)),
    ).toEqual([]);
  });

  it.each(["run", "resume", "test"])("to %s is nothing of telemetry but the question whether it is on", (command) => {
    const files = loadedWith(`src/cli/commands/${command}.ts`);
    expect(files.length).toBeGreaterThan(10);
    expect(from(files, /src\/services\/telemetry\/(?!switch\.ts)/)).toEqual([]);
    expect(isBuilt("src/services/telemetry/index.ts")).toBe(true);
  });

  it.each(["validate", "run"])("to %s a file with nothing unusual is no schema and no YAML library", (command) => {
    const files = [`src/cli/commands/${command}.ts`, "src/language/validate.ts"].flatMap(loadedWith);
    expect(files).toContain("src/language/quick/quick-file.ts");
    expect(from(files, /node_modules\/(zod|yaml)\//)).toEqual([]);
  });
});
