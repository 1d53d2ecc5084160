// TAP 14: a line for each check, with what was found under it.
import { jsonText, plainLineOf, withoutHashCommands } from "../../text/harmless.ts";
import { failuresOf, placed, type ReportedCheck } from "./check.ts";

export function tap(checks: readonly ReportedCheck[]): string {
  const lines = checks.flatMap((check, index) => {
    const { name, skipped, duration_ms, notes } = check;
    const failures = failuresOf(check);
    const verdict = `${failures.length === 0 ? "ok" : "not ok"} ${index + 1} - ${tapText(name)}`;
    if (skipped !== undefined) return [`${verdict} # SKIP ${withoutHashCommands(plainLineOf(skipped))}`];
    const facts = [
      ...(duration_ms === undefined ? [] : [`  duration_ms: ${duration_ms}`]),
      ...listed("problems", failures.map(placed)),
      ...listed("warnings", notes.filter((note) => !failures.includes(note)).map(placed)),
    ];
    return facts.length === 0 ? [verdict] : [verdict, "  ---", ...facts, "  ..."];
  });
  return `${["TAP version 14", `1..${checks.length}`, ...lines].join("\n")}\n`;
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`  ${title}:`, ...texts.map((text) => `    - ${jsonText(text)}`)];

/** A name that went over a line could write the next check's verdict. */
const tapText = (name: string): string => plainLineOf(name).replace(/[\\#]/g, "\\$&");
