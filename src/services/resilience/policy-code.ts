// The code of a workflow's policies as an action read it: each module, and the files that it takes in by a relative path.
// Policies run from these bytes, whatever is on the disk by then.
import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { refusal } from "../refusals.ts";
import { CHANGED, type Snapshot } from "../session/snapshot.ts";

/** The address of a module, or why it is not loaded. */
type Located = { readonly url: string } | { readonly reason: string };

export interface PolicyCode {
  /** The addresses of the modules themselves. */
  readonly modules: readonly string[];
  /** Texts of files by their addresses. */
  readonly texts: ReadonlyMap<string, string>;
  /** `dir`: the folder of the workflow file that names the module. */
  locate(module: string, dir: string): Located;
}

/** With those of the sub-workflows. */
export function policyCodeOf(workflow: LoadedWorkflow | undefined, snapshot: Snapshot): PolicyCode {
  const named = (workflow ? familyOf(workflow) : []).flatMap(({ definition, dir }) =>
    definition.workflow.policies.flatMap(({ module }) => (module === undefined ? [] : [{ module, dir }])),
  );
  return readPolicyCode(named, snapshot);
}

interface NamedModule {
  readonly module: string;
  readonly dir: string;
}

export function readPolicyCode(named: readonly NamedModule[], snapshot: Snapshot): PolicyCode {
  const texts = new Map<string, string>();
  const places = new Map<string, Located>();
  for (const { module, dir } of named) {
    if (places.has(keyOf(module, dir))) continue;
    const located = locate(module, dir);
    places.set(keyOf(module, dir), located);
    if ("url" in located) take(fileURLToPath(located.url), realpathSync(dir), snapshot, texts);
  }
  const modules = [...places.values()].flatMap((place) => ("url" in place ? [place.url] : []));
  return {
    modules: [...new Set(modules)],
    texts,
    locate: (module, dir) => places.get(keyOf(module, dir)) ?? { reason: `${module} is not known` },
  };
}

const keyOf = (module: string, dir: string): string => JSON.stringify([dir, module]);

/** Links are followed first: a link that leads out is outside. */
function locate(module: string, dir: string): Located {
  const path = resolve(dir, module);
  if (!existsSync(path)) return { reason: `the policy module ${module} does not exist (looked for ${path})` };
  const real = realpathSync(path);
  if (!isBelow(real, realpathSync(dir)))
    return { reason: `the policy module ${module} is not below the workflow's folder; only code from there is loaded` };
  return { url: pathToFileURL(real).href };
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Anything quoted that could be the path of a module: one too many is read, and no harm is done. */
const PATH = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** `require` tries endings. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.cjs"];
const CODE = /\.([cm]?[jt]s|json)$/;
const MOST_FILES = 1000;

function take(file: string, folder: string, snapshot: Snapshot, texts: Map<string, string>): void {
  const { href } = pathToFileURL(file);
  if (texts.has(href) || texts.size >= MOST_FILES) return;
  const text = textOf(file, snapshot);
  if (text === undefined) return;
  texts.set(href, text);
  for (const [, name = ""] of text.matchAll(PATH))
    for (const ending of ENDINGS) {
      const path = unlessItThrows(() => realpathSync(fileURLToPath(new URL(name + ending, href))), undefined);
      if (path !== undefined && CODE.test(path) && isBelow(path, folder)) take(path, folder, snapshot, texts);
    }
}

/** A file that cannot be read is not loaded, and the policy says so when it is asked. */
function textOf(file: string, snapshot: Snapshot): string | undefined {
  try {
    return snapshot.read(file).toString("utf8");
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException;
    if (code === CHANGED) throw refusal(`${file} cannot be read: ${message}`);
    return undefined;
  }
}
