// The command line and the library: split by esbuild as ES modules, then made into the scripts that src/bin/ loads.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { build, transform } from "esbuild";
import { withLoads } from "./late.mjs";
import { common } from "./settings.mjs";
import { split } from "./split.mjs";

/** What is loaded together in any case is one script, without what an earlier one of these has. */
const COMMAND_LINE = {
  start: ["src/cli/start.ts"],
  validate: ["src/cli/commands/validate.ts"],
  run: ["src/cli/commands/run.ts", "src/cli/ask/terminal-asker.ts", "src/steps/process/index.ts"],
  schemas: ["src/language/by-schema.ts"],
};
const LIBRARY = {
  index: ["src/index.ts"],
  run: [
    "src/services/run.ts",
    "src/services/own-steps/own-step-type.ts",
    "src/library/outcome-of.ts",
    "src/steps/process/index.ts",
  ],
  resume: ["src/services/resume.ts"],
  schemas: ["src/language/by-schema.ts", "src/services/own-steps/own-step-schema.ts"],
};

/** The bin's text, and the texts of all its scripts by name. */
export async function buildCommandLine(version) {
  const { entry, scriptOf, scripts } = await scriptsOf("src/main.ts", COMMAND_LINE, version);
  if (entry.imports.length > 0)
    throw new Error("src/main.ts imports something at once, and --version would wait for it.");
  const contents = `
    import { lendImport, loaderOf } from "./src/bin/load-chunk.ts";
    lendImport((name) => import(name));
    const load = loaderOf({ folder: __dirname + "/cli", scripts: ${JSON.stringify(scriptOf)}, require });
    ${entry.text.replaceAll("require(", "load(")}`;
  return { main: `#!/usr/bin/env node\n${await bundled({ stdin: { contents, resolveDir: "." } })}`, scripts };
}

/** The library's door, an ES module, and the texts of all its scripts by name. */
export async function buildLibrary(version) {
  const { entry, scriptOf, scripts } = await scriptsOf("src/index.ts", LIBRARY, version);
  const contents = `
    import { createRequire } from "node:module";
    import { lendImport, loaderOf } from "./src/bin/load-chunk.ts";
    lendImport((name) => import(name));
    const require = createRequire(import.meta.url);
    const load = loaderOf({ folder: import.meta.dirname + "/library", scripts: ${JSON.stringify(scriptOf)}, require });
    export const { ${entry.exports.join(", ")} } = load("${entry.name}");`;
  return { index: await bundled({ stdin: { contents, resolveDir: "." }, format: "esm" }), scripts };
}

async function scriptsOf(entry, together, version) {
  const { chunks, entries } = await splitChunks(entry, version);
  const first = entries[entry];
  const scriptOf = {};
  const scripts = {};
  for (const [name, sources] of Object.entries(together)) {
    const all = new Set(sources.flatMap((source) => [...withImports(entries[source], chunks)]));
    const members = [...all].filter((member) => !(member in scriptOf));
    const text = await joined(members, chunks);
    const file = `./${name}-${createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase()}.js`;
    scripts[file] = text;
    for (const member of members) scriptOf[member] = file;
  }
  for (const name of Object.keys(chunks))
    if (!(name in scriptOf) && !(entry === "src/main.ts" && name === first)) scripts[name] = await alone(chunks[name]);
  return { entry: { name: first, ...chunks[first] }, scriptOf, scripts };
}

async function splitChunks(entry, version) {
  const { outputFiles, metafile } = await build({
    ...(await split(entry, version)),
    outdir: "out",
    write: false,
    metafile: true,
  });
  const chunks = {};
  const entries = {};
  for (const { path, text } of outputFiles) {
    const name = `./${basename(path)}`;
    const { imports, exports, entryPoint } = metafile.outputs[`out/${basename(path)}`];
    const imported = (wanted) =>
      imports.filter(({ kind, external }) => kind === wanted && !external).map((one) => `./${basename(one.path)}`);
    if (entryPoint) entries[entryPoint] = name;
    chunks[name] = {
      text: imported("dynamic-import").reduce(withLoads, text),
      imports: imported("import-statement"),
      exports,
    };
  }
  return { chunks, entries };
}

/** A chunk and all that it imports at once. */
function withImports(name, chunks, seen = new Set()) {
  if (!seen.has(name)) {
    seen.add(name);
    for (const other of chunks[name].imports) withImports(other, chunks, seen);
  }
  return seen;
}

const asFunction = (text) => `(function(require,exports,module,__url){${text}})`;

async function alone({ text }) {
  const { bundle: _, ...rest } = common;
  return asFunction((await transform(text, { ...rest, format: "cjs" })).code);
}

/** Chunks in one scope, so that they call one another directly. The script exports each under its name. */
async function joined(members, chunks) {
  const among = {
    name: "among chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        members.includes(path) ? { path, namespace: "chunk" } : { path, external: true },
      );
      onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({ contents: chunks[path].text }));
    },
  };
  const contents = members.map((name) => `export * as "${name}" from "${name}";`).join("\n");
  return asFunction(await bundled({ stdin: { contents }, plugins: [among] }));
}

async function bundled(more) {
  const { outputFiles } = await build({ ...common, format: "cjs", write: false, ...more });
  return outputFiles[0].text;
}
