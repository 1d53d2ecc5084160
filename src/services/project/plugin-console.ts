// What plugins print goes to stderr: stdout holds the answer, which programs read, and the protocol of `segno mcp`.
import { Console } from "node:console";

const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "count",
  "timeEnd",
  "timeLog",
] as const;

/** For the whole process: a step of a plugin prints while its run goes on. Segno itself prints without `console`. */
export function printToStderr(): void {
  const aside = new Console({ stdout: process.stderr, stderr: process.stderr });
  for (const name of PRINTING) console[name] = aside[name].bind(aside);
}
