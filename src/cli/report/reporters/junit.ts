// JUnit XML, as most CI systems read it.
import { plain, withoutHashCommands } from "../../text/harmless.ts";
import { failuresOf, placed, type ReportedCheck } from "./check.ts";

export function junit(checks: readonly ReportedCheck[]): string {
  const seconds = checks.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0) / 1000;
  const failed = checks.filter((check) => check.skipped === undefined && failuresOf(check).length > 0).length;
  const skipped = checks.filter((check) => check.skipped !== undefined).length;
  const counts = `tests="${checks.length}" failures="${failed}" skipped="${skipped}" time="${seconds}"`;
  const cases = checks.map(
    (check) =>
      `  <testcase classname="${xml(check.suite)}" name="${xml(check.name)}" time="${(check.duration_ms ?? 0) / 1000}">${inside(check)}</testcase>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="segno" ${counts}>\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`;
}

function inside(check: ReportedCheck): string {
  if (check.skipped !== undefined) return `<skipped message="${xml(check.skipped)}"/>`;
  const failures = failuresOf(check);
  const warnings = check.notes.filter((note) => !failures.includes(note));
  return [
    ...failures.map((note) => `<failure type="${xml(note.rule)}" message="${xml(placed(note))}"/>`),
    ...(warnings.length === 0 ? [] : [`<system-out>${xml(warnings.map(placed).join("\n"))}</system-out>`]),
  ].join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // As they are, they would be read as spaces, and let a name begin a line of the log.
  "\n": "&#10;",
  "\t": "&#9;",
};

/** XML has no way to write most control characters, not even escaped. */
const xml = (text: string): string =>
  withoutHashCommands(
    plain(text).replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? ""),
    "&#35;",
  );
