// How the bin loads the rest of the program: chunks are plain scripts in a folder beside it. They are no ES modules,
// because Node 20 can keep compiled code only of scripts, and its loader of modules takes 6 ms to start.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runScript } from "./kept-code.ts";

/** Put in by the build: the chunks that are kept together in one script, by name, and the script's name. */
declare const SEGNO_SCRIPTS: Readonly<Record<string, string>>;

type Exports = Record<string, unknown>;
type Module = { exports: Exports };
type Chunk = (load: (name: string) => unknown, exports: Exports, module: Module, url: string) => void;

/** For packages that chunks want to load; see providers/load-package.ts. */
Reflect.set(globalThis, Symbol.for("segno.import"), (name: string) => import(name));

const folder = join(__dirname, "cli");
const modules = new Map<string, Module>();

/** The exports of the chunk `./name.js`; of any other name what Node's own `require` gives. */
export function load(name: string): unknown {
  if (!name.startsWith("./")) return require(name);
  const script = SEGNO_SCRIPTS[name];
  return script === undefined ? run(name).exports : run(script).exports[name];
}

function run(name: string): Module {
  const known = modules.get(name);
  if (known) return known;
  const module: Module = { exports: {} };
  modules.set(name, module);
  const file = join(folder, name);
  const { value, keep } = runScript(file);
  if (keep && hasNoFlags()) process.once("exit", keep);
  (value as Chunk)(load, module.exports, module, pathToFileURL(file).href);
  return module;
}

/** What was compiled with flags fits only those, so two callers would take turns in overwriting each other's. */
const hasNoFlags = (): boolean => process.execArgv.length === 0 && !process.env.NODE_OPTIONS;
