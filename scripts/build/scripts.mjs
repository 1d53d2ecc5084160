// The command line: split by esbuild as ES modules, then made into the scripts that src/bin/ loads.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { build, transform } from "esbuild";
import { settings } from "./command-line.mjs";
import { withLoads } from "./late.mjs";
import { common } from "./settings.mjs";

/** What a command loads in any case is one script, without what an earlier one of these has. */
const TOGETHER = {
  start: ["src/cli/start.ts"],
  validate: ["src/cli/commands/validate.ts"],
  run: ["src/cli/commands/run.ts", "src/cli/ask/terminal-asker.ts", "src/steps/process/index.ts"],
  schemas: ["src/language/by-schema.ts"],
};

/** The bin's text, and the texts of all scripts by name. */
export async function buildScripts(version) {
  const { chunks, entries } = await splitChunks(version);
  const bin = entries["src/main.ts"];
  const scriptOf = {};
  const scripts = {};
  for (const [name, sources] of Object.entries(TOGETHER)) {
    const all = new Set(sources.flatMap((source) => [...withImports(entries[source], chunks)]));
    const members = [...all].filter((member) => !(member in scriptOf));
    const text = await joined(members, chunks);
    const file = `./${name}-${createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase()}.js`;
    scripts[file] = text;
    for (const member of members) scriptOf[member] = file;
  }
  for (const name of Object.keys(chunks))
    if (name !== bin && !(name in scriptOf)) scripts[name] = await alone(chunks[name]);
  return { main: await binOf(chunks[bin], scriptOf), scripts };
}

async function splitChunks(version) {
  const { outputFiles, metafile } = await build({
    ...(await settings(version)),
    outdir: "out",
    write: false,
    metafile: true,
  });
  const chunks = {};
  const entries = {};
  for (const { path, text } of outputFiles) {
    const name = `./${basename(path)}`;
    const { imports, entryPoint } = metafile.outputs[`out/${basename(path)}`];
    const imported = (wanted) =>
      imports.filter(({ kind, external }) => kind === wanted && !external).map((one) => `./${basename(one.path)}`);
    if (entryPoint) entries[entryPoint] = name;
    chunks[name] = {
      text: imported("dynamic-import").reduce(withLoads, text),
      imports: imported("import-statement"),
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

/** src/main.ts with the loader in front. */
async function binOf({ text, imports }, scriptOf) {
  if (imports.length > 0) throw new Error("src/main.ts imports something at once, and --version would wait for it.");
  const contents = `import { load } from "./src/bin/load-chunk.ts";\n${text.replaceAll("require(", "load(")}`;
  const bin = await bundled({
    stdin: { contents, resolveDir: "." },
    define: { SEGNO_SCRIPTS: JSON.stringify(scriptOf) },
  });
  return `#!/usr/bin/env node\n${bin}`;
}

async function bundled(more) {
  const { outputFiles } = await build({ ...common, ...more, format: "cjs", write: false });
  return outputFiles[0].text;
}
