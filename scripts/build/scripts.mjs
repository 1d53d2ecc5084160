// The command line and the library: split once by esbuild as ES modules, so that they share their chunks, then made into
// the scripts that src/bin/ loads.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { build, transform } from "esbuild";
import { DOORS, LOADED, PROGRAM, SCRIPT_LOADER } from "../places.mjs";
import { withLoads } from "./late.mjs";
import { common, stepFiles } from "./settings.mjs";
import { thinMap, withInlineMap } from "./source-map.mjs";
import { split } from "./split.mjs";

const [RUNS, SCHEMAS] = [stepFiles("run.ts"), stepFiles("schema.ts")];

/**
 * What each face loads together in any case, in the order in which it is loaded. Chunks that every face loads at the same
 * moment become one script.
 */
const FACES = {
  "command line": {
    start: [LOADED.start],
    validate: [LOADED.validateCommand, LOADED.validate],
    run: [LOADED.runCommand, LOADED.terminalAsker],
    steps: [LOADED.processes, ...RUNS],
    schemas: [LOADED.bySchema, ...SCHEMAS],
  },
  library: {
    index: [DOORS.index],
    run: [LOADED.run, LOADED.extensions, LOADED.ownStepType, LOADED.outcomeOf, LOADED.ownStep],
    rules: [LOADED.validate],
    steps: [LOADED.processes, ...RUNS],
    resume: [LOADED.resume],
    schemas: [LOADED.bySchema, ...SCHEMAS, LOADED.ownStepSchema],
  },
};

/** The texts of the bin, of the doors and of all scripts by name, and what esbuild says is in them. */
export async function buildScripts(version) {
  const { chunks, entries, metafile } = await splitChunks([PROGRAM, ...Object.values(DOORS)], version);
  const { scriptOf, scripts } = await scriptsOf(chunks, entries);
  const doors = {};
  for (const [name, entry] of Object.entries(DOORS)) doors[name] = await doorOf(chunks, entries[entry], scriptOf);
  return { main: await mainOf(chunks[entries[PROGRAM]], scriptOf), doors, scripts, metafile };
}

async function mainOf(entry, scriptOf) {
  if (entry.imports.length > 0)
    throw new Error(`${PROGRAM} imports something at once, and --version would wait for it.`);
  const contents = `
    import { lendImport, loaderOf } from "./${SCRIPT_LOADER}";
    lendImport((name) => import(name));
    const load = loaderOf({ folder: __dirname + "/parts", scripts: ${JSON.stringify(scriptOf)}, require });
    ${entry.text.replaceAll("require(", "load(")}`;
  return `#!/usr/bin/env node\n${await bundled({ stdin: { contents, resolveDir: "." } })}`;
}

const doorOf = (chunks, name, scriptOf) =>
  bundled({
    format: "esm",
    stdin: {
      contents: `
        import { createRequire } from "node:module";
        import { lendImport, loaderOf } from "./${SCRIPT_LOADER}";
        lendImport((name) => import(name));
        const require = createRequire(import.meta.url);
        const load = loaderOf({ folder: import.meta.dirname + "/parts", scripts: ${JSON.stringify(scriptOf)}, require });
        export const { ${chunks[name].exports.join(", ")} } = load("${name}");`,
      resolveDir: ".",
    },
  });

async function scriptsOf(chunks, entries) {
  const scriptOf = {};
  const scripts = {};
  const add = (name, { code, map }) => {
    scripts[name] = code;
    scripts[`${name}.map`] = map;
  };
  for (const [name, members] of Object.entries(loadedTogether(chunks, entries))) {
    const { code, map } = await joined(members, chunks);
    const hash = createHash("sha256").update(code).digest("hex").slice(0, 8).toUpperCase();
    const file = `./${name}-${hash}.js`;
    add(file, withMap(file, code, map));
    for (const member of members) scriptOf[member] = file;
  }
  for (const name of Object.keys(chunks))
    if (!(name in scriptOf) && name !== entries[PROGRAM]) {
      const { code, map } = await alone(chunks[name]);
      add(name, withMap(name, code, map));
    }
  return { scriptOf, scripts };
}

/**
 * Chunks by the name of their script: the moment at which each face loads them first. A chunk is never loaded later than
 * one that imports it, so that scripts do not import one another in circles.
 */
function loadedTogether(chunks, entries) {
  const moments = {};
  for (const [face, groups] of Object.entries(FACES))
    for (const [moment, sources] of Object.entries(groups))
      for (const source of sources)
        for (const name of withImports(entries[source], chunks)) {
          moments[name] ??= {};
          moments[name][face] ??= moment;
        }
  const together = {};
  for (const [name, at] of Object.entries(moments)) {
    const script = scriptAt(at["command line"], at.library);
    together[script] ??= [];
    together[script].push(name);
  }
  return together;
}

/** Every script costs a millisecond to find and to check: what is small and early is one, though not all of it is needed. */
function scriptAt(ofCommandLine, ofLibrary) {
  const isEarly = ofCommandLine !== undefined && (ofLibrary === "index" || (ofCommandLine === "start" && ofLibrary));
  if (isEarly) return "shared";
  // What the library needs for a run earlier than the command line, or alone, is little, and no script of its own.
  if (ofLibrary === "run" && (ofCommandLine === undefined || ofCommandLine === "steps")) return "run-library-run";
  return [ofCommandLine, ofLibrary && `library-${ofLibrary}`].filter(Boolean).join("-");
}

async function splitChunks(entryPoints, version) {
  const { outputFiles, metafile } = await build({
    ...(await split(entryPoints, version)),
    // Lines stay apart until the end: a load that is put in moves only what follows in its line.
    minifyWhitespace: false,
    sourcemap: "external",
    sourcesContent: false,
    outdir: "out",
    write: false,
    metafile: true,
  });
  const maps = new Map(
    outputFiles.filter(({ path }) => path.endsWith(".map")).map(({ path, text }) => [basename(path, ".map"), text]),
  );
  const chunks = {};
  const entries = {};
  for (const { path, text } of outputFiles) {
    if (path.endsWith(".map")) continue;
    const name = `./${basename(path)}`;
    const { imports, exports, entryPoint } = metafile.outputs[`out/${basename(path)}`];
    const imported = (wanted) =>
      imports.filter(({ kind, external }) => kind === wanted && !external).map((one) => `./${basename(one.path)}`);
    if (entryPoint) entries[entryPoint] = name;
    chunks[name] = {
      text: imported("dynamic-import").reduce(withLoads, text),
      map: maps.get(basename(path)),
      imports: imported("import-statement"),
      exports,
    };
  }
  return { chunks, entries, metafile };
}

/** A chunk and all that it imports at once. */
function withImports(name, chunks, seen = new Set()) {
  if (!seen.has(name)) {
    seen.add(name);
    for (const other of chunks[name].imports) withImports(other, chunks, seen);
  }
  return seen;
}

/** The code of a chunk begins in a line of its own, so that its map holds whatever stands before the function. */
function withMap(file, code, map) {
  const link = `//# sourceMappingURL=${basename(file)}.map`;
  return { code: `(function(require,exports,module,__url){\n${code}})\n${link}\n`, map: thinMap(map, basename(file)) };
}

/** Names stay in what is ours, for stack traces. In a chunk of other packages alone they are shortened. */
async function alone({ text, map }) {
  const { bundle: _, ...rest } = common;
  return await transform(withInlineMap(text, map), {
    ...rest,
    minifyIdentifiers: JSON.parse(map).sources.every((source) => source.includes("node_modules/")),
    format: "cjs",
    sourcemap: "external",
    sourcesContent: false,
  });
}

/** Chunks in one scope, so that they call one another directly. The script exports each under its name. */
async function joined(members, chunks) {
  const among = {
    name: "among chunks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        members.includes(path) ? { path, namespace: "chunk" } : { path, external: true },
      );
      onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({
        contents: withInlineMap(chunks[path].text, chunks[path].map),
      }));
    },
  };
  const contents = members.map((name) => `export * as "${name}" from "${name}";`).join("\n");
  const { outputFiles } = await build({
    ...common,
    format: "cjs",
    write: false,
    outdir: "out",
    sourcemap: "external",
    sourcesContent: false,
    stdin: { contents },
    plugins: [among],
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
  return { code: textOf(".js"), map: textOf(".map") };
}

async function bundled(more) {
  const { outputFiles } = await build({ ...common, format: "cjs", write: false, ...more });
  return outputFiles[0].text;
}
