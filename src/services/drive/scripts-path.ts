// Where scripts and MCP servers find their programs in a run with coding agents. `npx` puts node_modules/.bin of the folder
// that it is started in before everything else, which is mostly a folder that an agent may write: a `node` or `git` that it
// leaves there would be what the next step runs, outside of every sandbox.
import { delimiter, isAbsolute, sep } from "node:path";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { CODING_PROVIDERS } from "../../language/schema/names.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `chosen` is the provider that somebody asked for, whatever the file says. */
export function scriptsEnvironment(env: Environment, workflow: LoadedWorkflow, chosen?: string): Environment {
  if (env.PATH === undefined || !hasCodingAgents(workflow, chosen)) return env;
  return { ...env, PATH: localFoldersLast(env.PATH) };
}

/** What is only there is still found, and what the system has is the system's. */
export function localFoldersLast(path: string): string {
  const folders = path.split(delimiter);
  const ofSystem = folders.filter((folder) => !isLocal(folder));
  return [...ofSystem, ...folders.filter(isLocal)].join(delimiter);
}

const LOCAL = `${sep}node_modules${sep}.bin`;

/** Of packages, or of wherever somebody stands. */
const isLocal = (folder: string): boolean => !isAbsolute(folder) || folder.replace(/[/\\]+$/, "").endsWith(LOCAL);

function hasCodingAgents(workflow: LoadedWorkflow, chosen?: string, seen = new Set<LoadedWorkflow>()): boolean {
  if (seen.has(workflow)) return false;
  seen.add(workflow);
  const { agents, for_each, workflow: section } = workflow.definition;
  const providers = [...agents, ...for_each.map(({ agent }) => agent)].flatMap((step) =>
    step.type === "agent" ? [chosen ?? (step.provider ?? section.runtime.provider).name] : [],
  );
  return (
    providers.some((name) => CODING_PROVIDERS.includes(name)) ||
    [...workflow.children.values()].some((child) => hasCodingAgents(child, chosen, seen))
  );
}
