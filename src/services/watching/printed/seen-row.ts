// A row as a reader sees it: without what a terminal obeys and does not show, and from its last return on, as a progress bar
// is read. The page draws rows by the same rule.
import { hasUnseen, seeThrough } from "../../../redact/see-through.ts";

export function seenRow(row: string): string {
  if (!hasUnseen(row)) return row;
  const line = row.replace(/\r+$/, "");
  return seeThrough(line.slice(line.lastIndexOf("\r") + 1)).text;
}
