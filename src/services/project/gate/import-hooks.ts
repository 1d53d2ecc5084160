// The gate for `import`: Node runs this file in a thread of its own, so it is a bundle of its own.
import type { InitializeHook, LoadHook, ResolveHook } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Gate, ownPart, refusedModule } from "./verdict.ts";
import { watchLoading } from "./watch-loading.ts";

let gate: Gate | undefined;

const begin: InitializeHook<Gate> = (given) => {
  gate = given;
  watchLoading(given.loading);
};

const findModule: ResolveHook = async (name, context, next) => {
  if (!gate) return next(name, context);
  const asker = context.parentURL === undefined ? undefined : pathOf(context.parentURL);
  const part = ownPart(name);
  if (part !== undefined && (asker === null || (asker !== undefined && gate.covered.has(asker))))
    return { url: pathToFileURL(join(gate.program, part)).href, shortCircuit: true };
  const found = await next(name, context);
  const file = pathOf(found.url);
  const refused = file === null ? undefined : refusedModule(file, asker, gate);
  if (refused !== undefined) throw new Error(refused);
  return found;
};

const readModule: LoadHook = async (url, context, next) => {
  const file = pathOf(url);
  const text = file === null ? undefined : gate?.covered.get(file);
  // Asked for what kind of module it is; the text is the one that was hashed, whatever the disk says by now.
  const found = await next(url, context);
  if (text === undefined) return found;
  // Without a source Node takes the way of `require`, which has a gate of its own.
  return found.format === "commonjs" ? { ...found, source: undefined } : { ...found, source: text };
};

/** Null for what is no file: built in, or written into the address. */
const pathOf = (url: string): string | null => (url.startsWith("file:") ? fileURLToPath(url) : null);

// By the names that Node calls them.
export { begin as initialize, findModule as resolve, readModule as load };
