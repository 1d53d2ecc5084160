// Where scripts and MCP servers find their programs in a run with coding agents. A folder of PATH that an agent may write comes
// last, whether it exists yet or not: a `node` or `git` that an agent leaves there would be what the next step runs, outside of
// every sandbox. `npx` puts node_modules/.bin of the folder that it is started in first, and an activated `.venv` its bin.

import { readlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, resolve, sep } from "node:path";
import { unlessItThrows } from "../../errors/mapping.ts";
import { familyOf, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { CODING_PROVIDERS } from "../../language/schema/names.ts";
import { isIn, realPath } from "../../providers/coding/real-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Record<string, string>>;

interface Agents {
  readonly provider: string | undefined;
  /** Folders that agents worked in so far: a template says where only when the step runs. */
  readonly agentFolders: ReadonlySet<string>;
}

/** What has a value. `PATH` is in its order at the moment in which it is read, as a step or a server starts. */
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
