// Options that every command takes, before or after its name.
import type { OptionSpec } from "../command.ts";

export const EVERYWHERE: readonly OptionSpec[] = [
  {
    flags: "--output-format <format>",
    about: "text (default), json: one object on stdout, or ndjson: events as they happen, then that object",
    choices: ["text", "json", "ndjson"],
  },
  { flags: "--home <dir>", about: "where runs are kept (SEGNO_HOME; ~/.segno by default)" },
  { flags: "-q, --quiet", about: "say nothing but how it ended" },
  { flags: "-v, --verbose", about: "say more: what scripts print, as they print it" },
  { flags: "--no-color", about: "no colours (NO_COLOR does the same)" },
  { flags: "-h, --help", about: "show this" },
];

/** Of every command that looks at runs, drives them or looks after them. */
export const ON: OptionSpec = {
  flags: "--on <url>",
  about: "on a fleet instead of this machine: the address of its Postgres (SEGNO_ON)",
};
