// How the program loads its parts: chunks are plain scripts in a folder beside it. They are no ES modules, because Node 20
// can keep compiled code only of scripts, and its loader of modules takes 6 ms to start.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Keeping, runScript } from "./kept-code.ts";

type Exports = Record<string, unknown>;
type Module = { exports: Exports };
type Chunk = (load: LoadChunk, exports: Exports, module: Module, url: string) => void;

/** The exports of the chunk `./name.js`; of any other name what Node's own `require` gives. */
export type LoadChunk = (name: string) => unknown;

export interface Chunks {
  readonly folder: string;
  /** The chunks that are kept together in one script, by name, and the script's name. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly require: NodeJS.Require;
}

export function loaderOf({ folder, scripts, require }: Chunks): LoadChunk {
  const modules = new Map<string, Module>();

  const load: LoadChunk = (name) => {
    if (!name.startsWith("./")) return LATE.has(name) ? whenUsed(name, require) : require(name);
    const script = scripts[name];
    return script === undefined ? run(name).exports : run(script).exports[name];
  };

  const run = (name: string): Module => {
    const known = modules.get(name);
    if (known) return known;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const file = join(folder, name);
    const use = String(Reflect.get(globalThis, USE) ?? "");
    const chunk = process.sourceMapsEnabled ? runMapped(file, require) : runKept(file, use);
    chunk(load, module.exports, module, pathToFileURL(file).href);
    return module;
  };

  return load;
}

/** Parts of Node that take milliseconds to load, and that many runs do not use: a run of own steps starts no process. */
const LATE: ReadonlySet<string> = new Set(["node:child_process", "node:net", "node:timers/promises"]);

/** Stands for a part of Node until something is looked up in it. */
function whenUsed(name: string, require: NodeJS.Require): object {
  let found: object | undefined;
  const part = (): object => (found ??= require(name) as object);
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(part(), key),
      has: (_, key) => Reflect.has(part(), key),
      ownKeys: () => Reflect.ownKeys(part()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(part(), key),
    },
  );
}

/** Left there by services/session/kept-code.ts. */
const USE = Symbol.for("segno.use");

function runKept(file: string, use: string): Chunk {
  const { value, keep } = runScript(file, use);
  if (keep) atExit(keep);
  return value as Chunk;
}

/** With `--enable-source-maps` as a module of Node: it reads maps only of those. Nothing is kept compiled then. */
function runMapped(file: string, require: NodeJS.Require): Chunk {
  const { Module } = require("node:module") as typeof import("node:module");
  const { readFileSync } = require("node:fs") as typeof import("node:fs");
  const module = new Module(file) as NodeJS.Module & { _compile(text: string, file: string): void };
  module._compile(`module.exports=${readFileSync(file, "latin1")}`, file);
  return module.exports as Chunk;
}

/** For packages that chunks want to load; see providers/load-package.ts. */
export function lendImport(load: (name: string) => Promise<unknown>): void {
  Reflect.set(globalThis, Symbol.for("segno.import"), load);
}

let keeping: Keeping[] | undefined;

/**
 * One listener for all scripts: Node takes eleven for a leak, and warns. A run calls for what is compiled after its first
 * steps (services/session/kept-code.ts): V8 notes in compiled code what ran often, and translates it again at every
 * start.
 */
function atExit(keep: Keeping): void {
  if (keeping) keeping.push(keep);
  else {
    const all = [keep];
    keeping = all;
    Reflect.set(globalThis, Symbol.for("segno.keep-code"), () => {
      for (const { take } of all) take();
    });
    process.once("exit", () => {
      for (const { write } of all) write();
    });
  }
}
