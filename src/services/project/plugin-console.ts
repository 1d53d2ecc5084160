// What plugins print goes to stderr: stdout holds the answer, which programs read, and the protocol of `segno mcp`. It goes
// there as Segno's own words do, so that the log of a CI finds no command in it.
import { Console } from "node:console";
import { Writable } from "node:stream";

const PRINTING = [
  "log",
  "info",
  "debug",
  "error",
  "warn",
  "trace",
  "assert",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "groupEnd",
  "count",
  "countReset",
  "time",
  "timeEnd",
  "timeLog",
] as const;

/** For the whole process: a step of a plugin prints while its run goes on. Segno itself prints without `console`. */
export function printTo(print: (text: string) => void): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      print(String(text));
      done();
    },
  });
  const aside = new Console({ stdout: stream, stderr: stream });
  for (const name of PRINTING) Object.assign(console, { [name]: aside[name].bind(aside) });
}
