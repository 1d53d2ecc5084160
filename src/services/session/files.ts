// The file system and the environment as the language sees them: the real ones, or those that a run pinned.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { LoadWorld } from "../../language/loaded.ts";
import { lacksShell } from "../../steps/process/windows-command.ts";
import { readRegularFile } from "../access/regular-file.ts";

type Environment = LoadWorld["env"];

export const realFiles = (env: Environment): LoadWorld => ({
  read: readRegularFile,
  exists: (path) => existsSync(path),
  list: listFolder,
  lacks: (command) => lacksShell(command, env),
  env,
});

/** The files of a request: those that its face lays over the disk, else the disk. */
export const filesOf = ({ overlay, env }: { readonly overlay?: LoadWorld; readonly env: Environment }): LoadWorld =>
  overlay ?? realFiles(env);

/** Unsaved text of an editor, by absolute path, laid over the files on disk. `looked` is called with every path. */
export function overlaidFiles(
  buffers: ReadonlyMap<string, string>,
  env: Environment,
  looked: (path: string) => void = () => {},
): LoadWorld {
  const { read, exists, ...disk } = realFiles(env);
  return {
    ...disk,
    read(file) {
      looked(file);
      const text = buffers.get(file);
      return text === undefined ? read(file) : Buffer.from(text);
    },
    exists(path) {
      looked(path);
      return buffers.has(path) || exists(path);
    },
    list: (folder) => [...new Set([...listFolder(folder), ...namesIn(folder, buffers)])],
  };
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The files of a run as they are now, and those that are gone as they were when a drive pinned them. */
export function filesOfRun(
  pinned: ReadonlyMap<string, string>,
  env: Environment,
): LoadWorld & { readonly gone: ReadonlySet<string> } {
  const gone = new Set<string>();
  return {
    read(file) {
      const text = existsSync(file) ? undefined : pinned.get(file);
      if (text === undefined) return readRegularFile(file);
      gone.add(file);
      return Buffer.from(text);
    },
    exists: (path) => pinned.has(path) || [...pinned.keys()].some((file) => dirname(file) === path) || existsSync(path),
    list: (folder) => [...new Set([...listFolder(folder), ...namesIn(folder, pinned)])],
    env,
    gone,
  };
}

const namesIn = (folder: string, pinned: ReadonlyMap<string, string>): readonly string[] =>
  [...pinned.keys()].flatMap((file) => (dirname(file) === folder ? [basename(file)] : []));
