// Where things are on this machine: programs that scripts and MCP servers start, folders that agents work in, and the files of
// a run whose folders are not here.
import { existsSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { type Raised, raised } from "../../base/errors/index.ts";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { isIn, realPath } from "../../base/real-path.ts";
import { familyOf, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { CODING_PROVIDERS } from "../../language/schema/names.ts";
import type { Caller } from "../../steps/caller.ts";
import { directoryNotOnWorker } from "../../steps/script/result.ts";
import type { ModelRequest } from "../../steps/world.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Record<string, string>>;

interface Agents {
  readonly provider: string | undefined;
  /** Folders that agents worked in so far: a template says where only when the step runs. */
  readonly agentFolders: ReadonlySet<string>;
}

/**
 * What has a value. In a run with coding agents a folder of PATH that an agent may write comes last, whether it exists yet
 * or not: a `node` or `git` that an agent leaves there would be what the next step runs, outside of every sandbox. `npx` puts
 * node_modules/.bin of the folder that it is started in first, and an activated `.venv` its bin. `PATH` is in this order at
 * the moment in which it is read, as a step or a server starts.
 */
export function scriptsEnvironment(env: Environment, workflow: LoadedWorkflow, agents: Agents): Given {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) given[name] = value;
  const { PATH: path } = given;
  const written = new Set(foldersWritten(workflow, agents.provider));
  if (path === undefined || written.size === 0) return given;
  return Object.defineProperty(given, "PATH", {
    enumerable: true,
    get: () => agentFoldersLast(path, [...written, ...agents.agentFolders]),
  });
}

/** What is only in such a folder is still found, and what the system has is the system's. */
export function agentFoldersLast(path: string, agentFolders: readonly string[]): string {
  const real = agentFolders.map(realPath);
  const isLocal = (folder: string): boolean =>
    !isAbsolute(folder) || isOfPackages(folder) || real.some((one) => leadsThrough(folder, one));
  const folders = path.split(delimiter);
  return [...folders.filter((one) => !isLocal(one)), ...folders.filter(isLocal)].join(delimiter);
}

const isOfPackages = (folder: string): boolean =>
  folder.replace(/[/\\]+$/, "").endsWith(`${sep}node_modules${sep}.bin`);

/** Whether a part of the way to a folder, by whatever links, is inside of another: there the rest of the way can be changed. */
function leadsThrough(folder: string, other: string, linksLeft = MOST_LINKS): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isIn(realPath(at), other)) return true;
    const target = linksLeft > 0 ? targetOf(at) : undefined;
    if (target !== undefined && leadsThrough(target, other, linksLeft - 1)) return true;
    if (at === dirname(at)) return false;
  }
}

/** As many as the system itself follows. */
const MOST_LINKS = 40;

const targetOf = (path: string): string | undefined =>
  unlessItThrows(() => resolve(realPath(dirname(path)), readlinkSync(path)), undefined);

/** As the files say it, of all coding agents; of one whose folder is a template the file's own. */
function* foldersWritten(root: LoadedWorkflow, chosen: string | undefined): Generator<string> {
  for (const { definition, dir } of familyOf(root)) {
    const { workflow: section } = definition;
    for (const step of stepsOf(definition)) {
      if (step.type !== "agent") continue;
      const provider = chosen ?? (step.provider ?? section.runtime.provider).name;
      if (!CODING_PROVIDERS.includes(provider)) continue;
      const folder = step.working_dir ?? section.runtime.working_dir ?? "";
      yield resolve(dir, folder.includes("{") ? "" : folder);
    }
  }
}

// The workflow's own files on a machine that has not the folders they are from: a worker of a fleet. They are laid out below
// one folder as they were, so that what they say of each other holds, and scripts run there.

export const materializedFolder = (home: string, runId: string): string => join(home, "brought", runId);

/** Where a folder is on this machine; nothing when it is where it says, or nowhere. */
export type FolderHere = (folder: string) => string | undefined;

/** The files are written when a folder is missed for the first time. */
export function materializedFiles(base: string, sources: () => ReadonlyMap<string, string>): FolderHere {
  let isLaidOut = false;
  const here = (path: string): string => join(base, resolve("/", path).replace(/^([a-z]):/i, "$1"));
  const layOut = (): void => {
    if (isLaidOut) return;
    isLaidOut = true;
    for (const [path, text] of sources()) {
      mkdirSync(dirname(here(path)), { recursive: true, mode: 0o700 });
      writeFileSync(here(path), text, { mode: 0o600 });
    }
  };
  return (folder) => {
    if (existsSync(folder)) return undefined;
    layOut();
    return existsSync(here(folder)) ? here(folder) : undefined;
  };
}

export const removeMaterialized = (home: string, runId: string): void =>
  rmSync(materializedFolder(home, runId), { recursive: true, force: true });

/** The folder that an agent is to work in, when it is not where it says; of a model only one that was asked for. */
export function folderAway(request: ModelRequest, caller: Caller, isCoding: boolean): string | undefined {
  if (!isCoding && typeof request.options.working_dir !== "string") return undefined;
  const folder = workingDirOf(request, caller);
  return existsSync(folder) ? undefined : folder;
}

export const workingDirOf = ({ options }: ModelRequest, { workflow }: Caller): string =>
  typeof options.working_dir === "string" ? options.working_dir : workflow.dir;

export const folderNotOnWorker = (folder: string, node: string): Raised =>
  raised("internal.bad_value", directoryNotOnWorker(folder, node), {
    field: "working_dir",
    value: folder,
    expected: "a folder that every worker has",
  });
