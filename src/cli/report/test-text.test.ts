// Scenario results for people: what a name or a problem holds stays in its place.
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { scenarioLine } from "./test-text.ts";

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
