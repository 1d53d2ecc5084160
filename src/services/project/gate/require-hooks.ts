// The gate for `require`, which knows no hooks in Node 20: what reads a module of each ending is wrapped.
import Module from "node:module";
import { extname, join } from "node:path";
import { type Gate, ownPart, refusedModule } from "./verdict.ts";

/** A module while it is being loaded, as Node has it but does not declare. */
interface Loading extends NodeJS.Module {
  _compile(text: string, file: string, format: "commonjs"): void;
}

interface ModuleLoader {
  readonly _extensions: Record<string, (module: Loading, file: string) => void>;
  _resolveFilename(name: string, parent: NodeJS.Module | undefined, ...more: unknown[]): string;
}

export function guardRequire(gate: Gate): void {
  const loader = Module as unknown as ModuleLoader;
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
