// Scenario results for other programs: TAP 14 and JUnit XML.
import type { TestAnswer } from "../../services/test.ts";
import { jsonText, plainLineOf } from "../text/harmless.ts";

export function tap({ scenarios }: TestAnswer): string {
  const lines = scenarios.flatMap(({ name, passed, skipped, problems, duration_ms }, index) => {
    const verdict = `${passed ? "ok" : "not ok"} ${index + 1} - ${tapText(name)}`;
    if (skipped !== undefined) return [`${verdict} # SKIP ${plainLineOf(skipped)}`];
    const facts = [`  duration_ms: ${duration_ms}`, ...(problems.length > 0 ? ["  problems:"] : [])];
    return [verdict, "  ---", ...facts, ...problems.map((problem) => `    - ${jsonText(problem)}`), "  ..."];
  });
  return `TAP version 14\n1..${scenarios.length}\n${lines.join("\n")}\n`;
}

/** A name that went over a line could write the next test's verdict. */
const tapText = (name: string): string => plainLineOf(name).replace(/[\\#]/g, "\\$&");

export function junit({ scenarios, failed, skipped }: TestAnswer): string {
  const seconds = scenarios.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000;
  const cases = scenarios.map(({ name, workflow, problems, skipped: why, duration_ms }) => {
    const inside =
      why !== undefined
        ? `<skipped message="${xml(why)}"/>`
        : problems.map((problem) => `<failure message="${xml(problem)}"/>`).join("");
    return `  <testcase classname="${xml(workflow)}" name="${xml(name)}" time="${duration_ms / 1000}">${inside}</testcase>`;
  });
  const counts = `tests="${scenarios.length}" failures="${failed}" skipped="${skipped}" time="${seconds}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="segno" ${counts}>\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`;
}

/** XML has no way to write most control characters, not even escaped. */
const xml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, "?");
