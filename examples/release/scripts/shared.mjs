// What the scripts of the release share. The error file is all there is to raising a typed error from a script.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const release = dirname(dirname(fileURLToPath(import.meta.url)));
export const project = join(release, "project");
export const work = join(release, "work");

/** Raises: Segno reads the file that it named in SEGNO_ERROR_OUT. */
export function raise(kind, message, details = {}) {
  writeFileSync(process.env.SEGNO_ERROR_OUT ?? "/dev/stderr", JSON.stringify({ kind, message, details }));
  process.exit(1);
}

/** A script's output is what it prints: one JSON object, whose fields templates can read. */
export const answer = (output) => console.log(JSON.stringify(output));

export const state = () => JSON.parse(readFileSync(join(work, "state.json"), "utf8"));
export const keep = (next) => writeFileSync(join(work, "state.json"), JSON.stringify(next, null, 2));

/** So that there is something to watch. */
export const aWhile = (seconds) => setTimeout(seconds * 1000);
