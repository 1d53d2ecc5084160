// The files of a drive as they travelled with the run: what a worker has under the same name does not count.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { LoadWorld } from "../../language/loaded.ts";
import { filesOfRun } from "../files.ts";
import { readRegularFile } from "../regular-file.ts";

export function filesAsPinned(
  pinned: ReadonlyMap<string, string>,
  env: LoadWorld["env"],
): ReturnType<typeof filesOfRun> {
  const here = filesOfRun(pinned, env);
  return {
    ...here,
    read(file) {
      const text = pinned.get(file);
      return text === undefined ? readRegularFile(file) : Buffer.from(text);
    },
    exists: (path) => pinned.has(path) || [...pinned.keys()].some((file) => dirname(file) === path) || existsSync(path),
    gone: new Set(),
  };
}
