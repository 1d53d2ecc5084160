// Conductor's own example files, unchanged; their licence is beside them.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const CONDUCTOR_FOLDER = resolve(import.meta.dirname, "conductor");

export interface ConductorFile {
  readonly name: string;
  readonly text: string;
}

export const conductorFiles = (): readonly ConductorFile[] =>
  readdirSync(CONDUCTOR_FOLDER)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => ({ name, text: readFileSync(join(CONDUCTOR_FOLDER, name), "utf8") }));
