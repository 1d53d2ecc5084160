// What `segno --version` and `segno validate` load. A heavy import that slips into a shared chunk costs every call.
import { describe, expect, it } from "vitest";
import { stepFiles } from "../../../scripts/build/settings.mjs";
import { forbidden, loadedWith } from "../../../test/support/built.ts";

const SCHEMAS = ["node_modules/zod/"];
const YAML = ["node_modules/yaml/"];
const PROMPTS = ["node_modules/@clack/"];
const MODELS = ["node_modules/ai/", "node_modules/@ai-sdk/"];
const MCP = ["node_modules/@modelcontextprotocol/"];

/** What step types say of themselves; nothing that builds a schema or carries a step out. */
const OF_STEP_TYPES = [
  ...stepFiles("index.ts"),
  "src/steps/types.ts",
  "src/steps/step-type.ts",
  "src/steps/schema/readings.ts",
];

describe("what is loaded", () => {
  it("for --version is the bin alone", () => {
    expect(loadedWith("src/main.ts")).toEqual(["src/main.ts"]);
  });

  it("to find a command is neither schemas, nor YAML, nor a store, nor a service", () => {
    const files = loadedWith("src/frontends/cli/start.ts");
    expect(files).toContain("src/frontends/cli/start.ts");
    const rooms = ["src/services/", "src/engine/", "src/language/", "src/storage/", "src/steps/", "src/providers/"];
    // Whether there is a project has to be known first; it looks at names alone. On Windows the environment has any case.
    // What a command prints leaves by one exit.
    expect(forbidden(files, [...SCHEMAS, ...YAML, ...PROMPTS, ...MODELS, ...MCP, ...rooms])).toEqual([
      "src/services/session/exit.ts",
      "src/services/session/find-project.ts",
      "src/services/session/kept-code.ts",
      "src/services/session/program-name.ts",
      "src/services/session/session.ts",
      "src/steps/process/platform.ts",
    ]);
  });

  it("to validate is no provider, no store, no MCP, no prompts", () => {
    const files = loadedWith("src/frontends/cli/commands/validate.ts");
    expect(files).toContain("src/services/workflows/validate.ts");
    const rooms = ["src/features/", "src/storage/", "src/providers/", "src/steps/"];
    expect(
      forbidden(
        files,
        [...PROMPTS, ...MODELS, ...MCP, ...rooms],
        [
          ...OF_STEP_TYPES,
          "src/storage/store-error.ts",
          "src/storage/regular-file.ts",
          "src/steps/process/platform.ts",
          "src/steps/process/windows-command.ts",
          "src/steps/http/accepted-status.ts",
          "src/steps/step-files.ts",
          "src/steps/patterns/classes.ts",
          "src/steps/patterns/translate.ts",
        ],
      ),
    ).toEqual([]);
  });

  it.each([
    "src/frontends/cli/commands/run.ts",
    "src/frontends/cli/commands/resume.ts",
    "src/features/scenarios/cli/commands.ts",
  ])("with %s is nothing of telemetry but the question whether it is on", (command) => {
    const files = loadedWith(command);
    expect(files.length).toBeGreaterThan(10);
    expect(forbidden(files, ["src/features/telemetry/"], ["src/features/telemetry/switch.ts"])).toEqual([]);
  });

  it.each(["src/frontends/cli/commands/validate.ts", "src/frontends/cli/commands/run.ts"])(
    "with %s for a file with nothing unusual is no schema and no YAML library",
    (command) => {
      const files = [command, "src/language/validate.ts"].flatMap(loadedWith);
      expect(files).toContain("src/language/quick/quick-file.ts");
      expect(forbidden(files, [...SCHEMAS, ...YAML])).toEqual([]);
    },
  );
});
