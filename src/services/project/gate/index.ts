// Lets a project's plugins load nothing but what trust covers, and that from the bytes that were hashed. Which modules
// may be loaded is decided for `import` and for `require` alike.
import { existsSync, realpathSync } from "node:fs";
import Module, { register } from "node:module";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** For the rest of the process: a plugin may still take something in while its steps run. */
export function closeGate(dir: string, files: ReadonlyMap<string, Buffer>, loading: PluginLoading): void {
  // The built program lies in a folder beside its library and the hooks.
  const hooks = new URL("../plugin-gate.js", import.meta.url);
  if (!existsSync(fileURLToPath(hooks)))
    throw new Error("the program is not built, and only the built one loads plugins");
  const gate: Gate = {
    dir: realpathSync(dir),
    program: realpathSync(dirname(fileURLToPath(hooks))),
    covered: new Map([...files].map(([file, bytes]) => [file, file.endsWith(".node") ? "" : bytes.toString("utf8")])),
    loading,
  };
  register(hooks, { data: gate });
  guardRequire(gate);
}

/** A module while it is being loaded, as Node has it but does not declare. */
interface Loading extends NodeJS.Module {
  _compile(text: string, file: string, format: "commonjs"): void;
}

/** The gate for `require`, which knows no hooks in Node 20: what reads a module of each ending is wrapped. */
function guardRequire(gate: Gate): void {
  const loader = Module as unknown as {
    readonly _extensions: Record<string, (module: Loading, file: string) => void>;
    _resolveFilename(name: string, parent: NodeJS.Module | undefined, ...more: unknown[]): string;
  };
  const find = loader._resolveFilename;
  loader._resolveFilename = function (this: unknown, name, parent, ...more) {
    const part = parent && gate.covered.has(parent.filename) ? ownPart(name) : undefined;
    return part === undefined ? find.call(this, name, parent, ...more) : join(gate.program, part);
  };
  for (const [ending, read] of Object.entries(loader._extensions))
    loader._extensions[ending] = (module, file) => {
      const text = gate.covered.get(file);
      if (text === undefined) {
        const refused = refusedModule(file, module.parent?.filename, gate);
        if (refused !== undefined) throw new Error(refused);
        read(module, file);
      } else give(module, file, text, read);
    };
}

function give(module: Loading, file: string, text: string, read: (module: Loading, file: string) => void): void {
  switch (extname(file)) {
    case ".json":
      module.exports = JSON.parse(text.replace(/^\uFEFF/, ""));
      return;
    case ".node":
      read(module, file);
      return;
    case ".mjs":
      throw new Error(`${file} is an ES module, which a plugin takes in with import, not with require`);
    default:
      module._compile(text.replace(/^\uFEFF/, ""), file, "commonjs");
  }
}

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
