// The file system and the environment as the language sees them: the real ones, or those that a run pinned.
import { existsSync, readFileSync } from "node:fs";
import type { LoadWorld } from "../language/loaded.ts";

type Environment = LoadWorld["env"];

export const realFiles = (env: Environment): LoadWorld => ({
  read: (file) => readFileSync(file),
  exists: (path) => existsSync(path),
  env,
});

/** The files as they were when a drive pinned them. */
export const pinnedFiles = (sources: ReadonlyMap<string, string>, env: Environment): LoadWorld => ({
  read(file) {
    const text = sources.get(file);
    if (text === undefined)
      throw Object.assign(new Error(`${file} is not among the files of this run`), { code: "ENOENT" });
    return Buffer.from(text);
  },
  exists: (path) => sources.has(path) || existsSync(path),
  env,
});
