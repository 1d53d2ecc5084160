// Text from outside is read by readers that end soon, whatever it is: JSON by `parseJson` (base/json/bounded.ts), YAML by
// `compose` (language/compose.ts), patterns of users by RE2 or base/errors/path-pattern.ts. Whoever parses something in
// another way stands in a list here, with the reason why that is safe.
import { expect, it } from "vitest";
import { sourceFiles, textOf } from "./imports.ts";
import { isWithin } from "./wings.ts";

const NODE_FILES = sourceFiles().filter((file) => !isWithin(file, "frontends/page"));

function expectOnlyIn(found: RegExp, reasons: Readonly<Record<string, readonly string[]>>): void {
  const allowed = Object.values(reasons).flat();
  const finding = NODE_FILES.filter((file) => found.test(textOf(file)));
  expect(finding.filter((file) => !allowed.some((place) => isWithin(file, place)))).toEqual([]);
  expect(allowed.filter((place) => !finding.some((file) => isWithin(file, place)))).toEqual([]);
}

it("reads JSON from outside by one reader, which is bounded", () => {
  expectOnlyIn(/\bJSON\.parse\(/, {
    "the reader itself": ["base/json/bounded.ts"],
    "what Segno wrote, in folders of the user or sealed": [
      "storage",
      "features/fleet",
      "features/evals/eval-store.ts",
      "services/drive/keyframe.ts",
      "services/runs/stats.ts",
      "services/project/trust.ts",
      "base/events/visits/recorded.ts",
      "features/coding-agents/changes.ts",
    ],
    "part of the package": ["services/doctor/licenses.ts", "language/quick/by-shape.ts", "frontends/mcp/reader.ts"],
    "a copy of a value, made by way of its text": [
      "frontends/server/openapi.ts",
      "frontends/server/views/run-past.ts",
      "frontends/server/commands/gates-shown.ts",
      "frontends/mcp/tool.ts",
      "features/typescript/export.ts",
      "services/explain/editions.ts",
    ],
    "JSON as a module, for code that is trusted": ["services/project/gate/index.ts"],
    "its size is bounded, and only its first level is looked at": [
      "frontends/mcp/stdio-lines.ts",
      "services/resilience/policy-host.ts",
      "steps/agent/answer.ts",
    ],
  });
});

it("reads YAML from outside by one reader, which is bounded", () => {
  expectOnlyIn(/\byamlLibrary\(\)|from "yaml";|\("yaml"\)/, {
    "the reader itself": ["language/compose.ts", "language/grow.ts", "language/tree.ts"],
    "a text that is open in the editor, below the editor's limits": ["features/editor"],
    "the lexemes of a file's beginning": ["services/project/workflow-file.ts"],
    "a text that an answer, which is bounded, was made of": ["steps/read-yaml.ts"],
    "a workflow file that the reader reads afterwards": ["features/scenarios/workflow-of-scenario.ts"],
    "writes YAML": ["features/history/record.ts", "features/scenarios/generate/candidates.ts"],
  });
});

it("makes no pattern of a text from outside", () => {
  expectOnlyIn(/new RegExp\((?:`|[a-z])/, {
    "made of patterns in the source": [
      "base/redact",
      "frontends/mcp/stdio-lines.ts",
      "language/rules/shell-template.ts",
      "language/rules/sandbox-denies.ts",
      "language/quick/by-shape.ts",
      "template/coerce.ts",
      "language/provider-address.ts",
    ],
    "compiled to see whether it is a pattern, and never asked": [
      "steps/agent/request.ts",
      "steps/patterns/translate.ts",
    ],
    "asked in a thread that is ended after a second": ["steps/patterns/search.ts"],
    "made of a word whose letters stand for themselves": [
      "services/project/defined-files.ts",
      "frontends/server/views/run-past.ts",
      "frontends/cli/commands/setup.ts",
      "features/editor/mentions.ts",
      "features/coding-agents/packages.ts",
    ],
  });
});
