// Annotations of GitHub Actions: workflow commands that it shows at the line.
import { plain, withoutHashCommands } from "../../text/harmless.ts";
import type { ReportedCheck, ReportedFinding } from "./check.ts";

export const github = (checks: readonly ReportedCheck[]): string =>
  checks.flatMap(({ notes }) => notes.map((note) => `${annotation(note)}\n`)).join("");

function annotation({ level, rule, message, place }: ReportedFinding): string {
  const at = place ? [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`] : [];
  return `::${level} ${[...at, `title=${property(rule)}`].join(",")}::${data(message)}`;
}

/** A line break would end the command and let the text begin one of its own. */
const data = (text: string): string =>
  withoutHashCommands(plain(text)).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
