// Scenario results for people: what a name or a problem holds stays in its place.
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { coverageText, scenarioLine } from "../../../features/scenarios/cli/commands.ts";

const colors = picocolors.createColors(false);
const planted = "x\n::error::planted";
const report = {
  file: "a.test.yaml",
  workflow: "a.yaml",
  name: planted,
  passed: false,
  problems: [planted],
  findings: [],
  duration_ms: 1,
};

it("keeps a scenario's name on its line, and indents what it says over several", () => {
  expect(scenarioLine(report, colors)).toBe("✗ x ::error::planted  1 ms\n    x\n    ::error::planted\n");
  expect(scenarioLine({ ...report, skipped: planted }, colors)).toBe(
    "- x ::error::planted  skipped: x ::error::planted\n",
  );
});

it("says of a file without error routes that there are none, and no percentage", () => {
  const file = {
    file: "a.yaml",
    steps: { taken: 1, total: 2 },
    success_routes: { taken: 1, total: 2 },
    error_routes: { taken: 0, total: 0 },
    denials: { taken: 0, total: 0 },
    untaken: [],
  };
  const said = coverageText({ files: [file], error_routes_percent: null }, colors);
  expect(said).toMatch(/^a\.yaml +1\/2 +1\/2 +none$/m);
  expect(said).toMatch(/\nthere are no error routes\n$/);
  const guarded = { ...file, denials: { taken: 1, total: 3 } };
  expect(coverageText({ files: [guarded], error_routes_percent: null }, colors)).toMatch(/none +1\/3$/m);
  expect(coverageText({ files: [file], error_routes_percent: 50 }, colors)).toMatch(/\n50 % of error routes taken\n$/);
});
