// Which modules may be loaded once plugins run: what `segno trust` covered, from the bytes that were hashed. Decided for
// `import` and for `require` alike, so it knows neither.
import { relative, sep } from "node:path";

export interface Gate {
  /** The project's folder, and Segno's own; real paths. */
  readonly dir: string;
  readonly program: string;
  /** Texts by real path. */
  readonly covered: ReadonlyMap<string, string>;
  readonly loading: PluginLoading;
}

/**
 * Why a file is not loaded: a plugin gets covered files only. What Segno itself loads may also be a package or lie outside
 * the project: that is not the project's business. `asker`: the file that asks; undefined: none, so it is Segno that asks;
 * null: code in no file, which only a plugin can have made.
 */
export function refusedModule(
  file: string,
  asker: string | null | undefined,
  { dir, program, covered }: Gate,
): string | undefined {
  if (covered.has(file) || isIn(file, program)) return undefined;
  const isOfProject = isIn(file, dir);
  const isForPlugin = asker === null || (asker !== undefined && covered.has(asker));
  const isOfPackage = file.split(sep).includes("node_modules");
  if (!isForPlugin && (!isOfProject || isOfPackage)) return undefined;
  if (!isOfProject)
    return `${file} is not below the project's folder, and plugins take in only what is. Move or install it there`;
  const path = relative(dir, file);
  const how = isOfPackage
    ? "its package in by its name"
    : `it in by its plain path, such as import "./${path.split(sep).pop()}",`;
  return `${path} is not among the files that \`segno trust\` covers. Let the plugin take ${how} and trust the project anew`;
}

const isIn = (file: string, folder: string): boolean => file.startsWith(folder.endsWith(sep) ? folder : folder + sep);

const OWN_PARTS: ReadonlySet<string> = new Set(["segno/raise", "segno/template", "segno/workflow"]);

/** The parts of Segno that plugins can take in: they get those of the program that runs, installed or not. */
export function ownPart(name: string): string | undefined {
  if (name === "segno") return "index.js";
  return OWN_PARTS.has(name) ? `${name.slice("segno/".length)}.js` : undefined;
}

// What the thread of the gate knows about loading, which goes on in the other one: shared memory, since a thread that is
// blocked answers nothing.

export interface PluginLoading {
  /** One number: how many plugins have begun, or `ALL_LOADED`. */
  readonly state: Int32Array;
  /** As they are written in segno.yaml. */
  readonly names: readonly string[];
  /** How long each may take. */
  readonly limitMs: number;
}

export const ALL_LOADED = -1;

export const loadingOf = (names: readonly string[], limitMs: number): PluginLoading => ({
  state: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  names,
  limitMs,
});
