// The web page: its files as `segno serve` gives them out. Names carry a hash, so that a browser may keep them for ever;
// index.html alone is asked for again.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { PAGE } from "../places.mjs";

const FOLDER = "/assets";

const settings = {
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  target: ["es2022"],
  platform: "browser",
  legalComments: "none",
  logLevel: "warning",
  jsx: "automatic",
  jsxImportSource: "preact",
  // `virtua` is written for React; Preact's own layer for that takes its place.
  alias: { react: "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" },
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  outdir: "out",
  metafile: true,
};

/** Colours of states and the look of drawings are said once, by the graph, and are style sheets here. */
const look = {
  name: "look",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^segno:look$/ }, ({ path }) => ({ path, namespace: "look" }));
    onLoad({ filter: /.*/, namespace: "look" }, async () => {
      const { outputFiles } = await build({ entryPoints: [PAGE.graph], bundle: true, write: false, format: "esm" });
      const text = Buffer.from(outputFiles[0].contents).toString("base64");
      const { tokenCss, pageCss } = await import(`data:text/javascript;base64,${text}`);
      const contents = `:root{${tokenCss("light")}}\n[data-theme="dark"]{${tokenCss("dark")}}\n${pageCss()}`;
      return { contents, loader: "css" };
    });
  },
};

/** All files of the page by their path below dist/page, and what esbuild says is in them. */
export async function buildPage(version) {
  const theme = await alone(PAGE.theme, { format: "iife" });
  const stream = await alone(PAGE.streamWorker);
  const layout = await alone(PAGE.layoutWorker);
  const main = await build({
    ...settings,
    entryPoints: [PAGE.main],
    splitting: true,
    plugins: [look],
    define: {
      __STREAM_WORKER__: JSON.stringify(`${FOLDER}/${stream.name}`),
      __LAYOUT_WORKER__: JSON.stringify(`${FOLDER}/${layout.name}`),
      __VERSION__: JSON.stringify(version),
    },
  });
  const files = {};
  for (const { name, text } of [theme, stream, layout]) files[`assets/${name}`] = text;
  for (const { path, text } of main.outputFiles) files[`assets/${basename(path)}`] = text;
  const { outputs } = main.metafile;
  const [script, { cssBundle, imports }] = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint === PAGE.main,
  );
  const preloaded = atOnce(imports, outputs);
  files["index.html"] = readFileSync(PAGE.html, "utf8")
    .replace("{{theme}}", `${FOLDER}/${theme.name}`)
    .replace("{{style}}", `${FOLDER}/${basename(cssBundle)}`)
    .replace("{{script}}", `${FOLDER}/${basename(script)}`)
    .replace(
      "{{preload}}",
      preloaded.map((name) => `<link rel="modulepreload" href="${FOLDER}/${basename(name)}">`).join("\n    "),
    );
  return { files, metafiles: [theme, stream, layout, main].map(({ metafile }) => metafile) };
}

async function alone(entry, more = {}) {
  const { outputFiles, metafile } = await build({ ...settings, entryPoints: [entry], ...more });
  const [{ path, text }] = outputFiles;
  return { name: basename(path), text, metafile };
}

/** Chunks that the entry imports without being asked, directly or through others. */
function atOnce(imports, outputs, seen = new Set()) {
  for (const { path, kind } of imports) {
    if (kind !== "import-statement" || seen.has(path) || !outputs[path]) continue;
    seen.add(path);
    atOnce(outputs[path].imports, outputs, seen);
  }
  return [...seen];
}
