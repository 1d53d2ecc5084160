// The gate for `import`: Node runs this file in a thread of its own, so it is a bundle of its own.

import { writeSync } from "node:fs";
import Module, { type InitializeHook, type LoadHook, type ResolveHook } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ALL_LOADED, type Gate, ownPart, type PluginLoading, refusedModule } from "./index.ts";

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
  if (text !== undefined && file !== null && /\.m?ts$/.test(file))
    return { format: "module", source: await withoutTypes(text, file), shortCircuit: true };
  // Asked for what kind of module it is; the text is the one that was hashed, whatever the disk says by now.
  const found = await next(url, context);
  if (text === undefined) return found;
  // Without a source Node takes the way of `require`, which has a gate of its own.
  return found.format === "commonjs" ? { ...found, source: undefined } : { ...found, source: text };
};

type Strip = (text: string, options: { readonly mode: "strip" }) => string;

/** TypeScript as JavaScript: by Node where it can, else by esbuild. Lines stay what they are, or are mapped. */
async function withoutTypes(text: string, file: string): Promise<string> {
  const { stripTypeScriptTypes } = Module as { stripTypeScriptTypes?: Strip };
  if (stripTypeScriptTypes) return quietly(() => stripTypeScriptTypes(text, { mode: "strip" }));
  // Known at run time only, so that it is not bundled.
  const name: string = "esbuild";
  const { transform } = (await import(name)) as {
    transform(text: string, options: object): Promise<{ readonly code: string }>;
  };
  const { code } = await transform(text, {
    loader: "ts",
    sourcefile: file,
    sourcemap: "inline",
    sourcesContent: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code;
}

/** Node 22 calls it experimental, once, on stderr, to people who can do nothing about it. */
function quietly<Value>(work: () => Value): Value {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emit;
  }
}

/** Null for what is no file: built in, or written into the address. */
const pathOf = (url: string): string | null => (url.startsWith("file:") ? fileURLToPath(url) : null);

// By the names that Node calls them.
export { begin as initialize, findModule as resolve, readModule as load };

const LOOK_MS = 100;
/** So much longer than the limit: a thread that is not blocked says it itself. */
const LATER_MS = 500;
/** A thread that waits for another program hears nothing. */
const DEAF_MS = 2000;

/**
 * A plugin with an endless loop blocks the thread that loads it: no timer fires there, and nothing would be said. This
 * thread, which is awake, says it and ends the program. (To end the loop alone, `Runtime.terminateExecution`, leaves Node's
 * books on async contexts in disorder, and it aborts.)
 */
function watchLoading({ state, names, limitMs }: PluginLoading): void {
  let seen = 0;
  // Not the time of day: a machine that slept for an hour has loaded nothing meanwhile.
  let looks = 0;
  const looking = setInterval(() => {
    const begun = Atomics.load(state, 0);
    if (begun === ALL_LOADED) return clearInterval(looking);
    if (begun !== seen) {
      seen = begun;
      looks = 0;
    } else if (begun > 0 && ++looks * LOOK_MS > limitMs + LATER_MS) {
      clearInterval(looking);
      say(
        `segno: the plugin ${harmless(names[begun - 1])} of segno.yaml could not be loaded: it did not finish loading in ${limitMs / 1000} seconds, and lets nothing else run meanwhile. Look for a loop that never ends; after \`segno trust --revoke\` commands go on without it.`,
      );
      setTimeout(() => process.kill(process.pid, "SIGKILL"), DEAF_MS);
      void endProcess();
    }
  }, LOOK_MS);
}

/** Only the thread that the process began with can give it an exit code; its debugger interrupts also a loop. */
async function endProcess(): Promise<void> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  // Without stderr, where Node would say that it waits for a debugger.
  session.post("Runtime.evaluate", {
    expression: 'process.getBuiltinModule("node:fs").closeSync(2); process.reallyExit(2)',
  });
}

/** This goes past what guards all else that is printed. */
const harmless = (name = ""): string => name.replace(/[^\w@./\\ -]/g, "?");

function say(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // stderr is closed.
  }
}
