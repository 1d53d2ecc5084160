// Lets a project's plugins load nothing but what trust covers, and that from the bytes that were hashed.

import { existsSync, realpathSync } from "node:fs";
import Module, { register } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Gate, ownPart, type PluginLoading, refusedModule } from "./verdict.ts";

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
