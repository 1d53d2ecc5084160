// The file system and the environment as the language sees them: the real ones, or those that a run pinned. And paths as
// people see them.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import type { DefinedFile, LoadWorld } from "../../language/loaded.ts";
import { lacksShell } from "../../steps/process/windows-command.ts";
import { hasFileMatching } from "../../steps/step-files.ts";
import { readRegularFile } from "./path-inside.ts";
import { type FileDigests, Snapshot } from "./snapshot.ts";

export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === "" || short.startsWith("..") ? file : short;
}

export const shownFile = (file: string, cwd: string): string => shownPath(resolve(cwd, file), cwd);

type Environment = LoadWorld["env"];
/** The disk, or what an action has read of it. */
type Disk = Pick<Snapshot, "read" | "exists">;

const DISK: Disk = { read: (file) => readRegularFile(file), exists: existsSync };

type Defined = ReadonlyMap<string, DefinedFile>;

/** Workflows that are defined in code read as the files that they would be. */
export const realFiles = (env: Environment, defined?: Defined, disk: Disk = DISK): LoadWorld => ({
  read: (file) => textOf(file, defined) ?? disk.read(file),
  exists: (path) => defined?.has(path) === true || disk.exists(path),
  defined,
  list: listFolder,
  lacks: (command) => lacksShell(command, env),
  hasFile: hasFileMatching,
  env,
});

const textOf = (file: string, defined: Defined | undefined): Buffer | undefined => {
  const found = defined?.get(file);
  return found && Buffer.from(found.text);
};

interface FilesRequest {
  readonly readsFrom?: { readonly overlay?: LoadWorld; readonly snapshot?: Snapshot };
  readonly env: Environment;
  readonly extensions?: { readonly defined?: Defined };
}

/** The files of a request: those that its face lays over the disk, else those that its action has read, else the disk. */
export const filesOf = ({ readsFrom, env, extensions }: FilesRequest): LoadWorld =>
  readsFrom?.overlay ?? realFiles(env, extensions?.defined, readsFrom?.snapshot);

/** The session of one action, which reads each file once. One that belongs to an action already stays as it is. */
export const withSnapshot = <Standing extends Pick<FilesRequest, "readsFrom">>(
  session: Standing,
  checked?: FileDigests,
): Standing & { readonly readsFrom: { readonly snapshot: Snapshot } } => ({
  ...session,
  readsFrom: { ...session.readsFrom, snapshot: session.readsFrom?.snapshot ?? new Snapshot(checked) },
});

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

const listFolder = (folder: string): readonly string[] => unlessItThrows(() => readdirSync(folder), []);

/** The files of a run as they are now, and those that are gone as they were when a drive pinned them. */
export function filesOfRun(
  pinned: ReadonlyMap<string, string>,
  { env, extensions, readsFrom }: FilesRequest,
): LoadWorld & { readonly gone: ReadonlySet<string> } {
  const gone = new Set<string>();
  const defined = extensions?.defined;
  const disk: Disk = readsFrom?.snapshot ?? DISK;
  return {
    defined,
    read(file) {
      const ofCode = textOf(file, defined);
      if (ofCode) return ofCode;
      const text = disk.exists(file) ? undefined : pinned.get(file);
      if (text === undefined) return disk.read(file);
      gone.add(file);
      return Buffer.from(text);
    },
    exists: (path) =>
      pinned.has(path) || [...pinned.keys()].some((file) => dirname(file) === path) || disk.exists(path),
    list: (folder) => [...new Set([...listFolder(folder), ...namesIn(folder, pinned)])],
    env,
    gone,
  };
}

const namesIn = (folder: string, pinned: ReadonlyMap<string, string>): readonly string[] =>
  [...pinned.keys()].flatMap((file) => (dirname(file) === folder ? [basename(file)] : []));
