// What Segno and the agents themselves are made of, where it lies in the agent's folder, as it does after `npm install` in a
// project: packages with all that they load, and the folders in which programs are found by their names. The next step, and
// the next command, start them outside of every sandbox.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { parseJson } from "../../json/bounded.ts";
import { ownFolder } from "../load-package.ts";
import { peerFolder } from "./packages.ts";
import { outermost } from "./private-files.ts";
import { isIn } from "./real-path.ts";

/** With Segno, what it loads when it is there. */
const PACKAGES = [
  "segno",
  "@anthropic-ai/claude-agent-sdk",
  "@openai/codex",
  "@github/copilot-sdk",
  "@google/gemini-cli",
  "opencode-ai",
  "@agentclientprotocol/claude-agent-acp",
  "@aaif/goose-acp",
  "@dbos-inc/dbos-sdk",
  "pg",
];

type Environment = Readonly<Record<string, string | undefined>>;

/** By real paths, strictly inside of `cwd`: an agent that works in such a package itself may change it. */
export function ownProgramsIn(cwd: string, project: string, env: Environment): string[] {
  const named = PACKAGES.flatMap((name) => peerFolder({ package: name }, project) ?? []);
  const segno = ownFolder();
  const packages = withDependencies(segno === undefined ? named : [...named, segno]);
  const onPath = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const found = [
    ...packages,
    ...named.flatMap(linkHolders),
    ...[...named, ...packages].flatMap(binsOf),
    ...onPath,
    ...(env.COPILOT_CLI_PATH ? [env.COPILOT_CLI_PATH] : []),
  ];
  const real = found.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return outermost(real.filter((path) => path !== cwd && isIn(path, cwd)));
}

/** Packages, and what they depend on, as Node finds it from where they really are. */
function withDependencies(folders: readonly string[]): string[] {
  const all = new Set<string>();
  const open = folders.map((folder) => realpathSync(folder));
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (all.has(folder)) continue;
    all.add(folder);
    for (const name of dependenciesOf(folder)) {
      const dependency = foundFrom(folder, name);
      if (dependency) open.push(realpathSync(dependency));
    }
  }
  return [...all];
}

function dependenciesOf(folder: string): string[] {
  try {
    const manifest = parseJson(readFileSync(join(folder, "package.json"), "utf8"));
    const { dependencies, optionalDependencies } = isMapping(manifest) ? manifest : {};
    return [dependencies, optionalDependencies].flatMap((names) => (isMapping(names) ? Object.keys(names) : []));
  } catch {
    return [];
  }
}

function foundFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(found)) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** A package that is a link into some store could be replaced by replacing the link: `node_modules/@scope` is held. */
const linkHolders = (folder: string): string[] => {
  const holder = dirname(folder);
  return basename(holder).startsWith("@") && realpathSync(folder) !== folder ? [holder] : [];
};

/** `.bin` of the `node_modules` that it is installed in. */
function binsOf(folder: string): string[] {
  const at = folder.lastIndexOf(`${sep}node_modules${sep}`);
  return at < 0 ? [] : [join(folder.slice(0, at), "node_modules", ".bin")];
}
