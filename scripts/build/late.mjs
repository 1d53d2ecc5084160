// Two things of src/language/ that only the command line has, because it starts so often: a door to the schemas that is
// opened on first use, and the shapes of all parts of a file worked out beforehand.
import { relative } from "node:path";
import { build } from "esbuild";
import { common } from "./settings.mjs";

/** A file that exports only functions, loaded when the first of them is called. Here is what takes its place. */
const DOOR = "src/language/by-schema.ts";
const SHAPES = "src/language/quick/shapes.ts";

/** Marks an import that has to be answered at once. */
const AT_ONCE = "SEGNO_AT_ONCE";

export async function late() {
  const names = await exportsOf(DOOR);
  const texts = await shapeTexts();
  return {
    name: "late",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /by-schema\.ts$/ }, ({ kind, resolveDir }) => ({
        path: `${process.cwd()}/${DOOR}`,
        ...(kind === "import-statement" ? { namespace: "door", pluginData: { resolveDir } } : {}),
      }));
      onLoad({ filter: /.*/, namespace: "door" }, ({ pluginData }) => ({
        contents: [
          `const open = () => ${AT_ONCE}(import("./by-schema.ts"));`,
          ...names.map((name) => `export const ${name} = (...given) => open().${name}(...given);`),
        ].join("\n"),
        resolveDir: pluginData.resolveDir,
      }));
      onLoad({ filter: /shapes\.ts$/ }, ({ path }) =>
        relative(process.cwd(), path) === SHAPES
          ? { contents: `const texts = ${JSON.stringify(texts)};\nexport const shapeTexts = () => texts;` }
          : undefined,
      );
    },
  };
}

/** Dynamic imports of chunks as the loader of scripts does them. */
export const withLoads = (text, chunk) =>
  text
    .replaceAll(`${AT_ONCE}(import("${chunk}"))`, `require("${chunk}")`)
    .replaceAll(`import("${chunk}")`, `Promise.resolve().then(()=>require("${chunk}"))`);

async function exportsOf(file) {
  const { metafile } = await build({ entryPoints: [file], write: false, metafile: true, format: "esm", outdir: "out" });
  return Object.values(metafile.outputs)[0].exports;
}

async function shapeTexts() {
  const { outputFiles } = await build({ ...common, entryPoints: [SHAPES], write: false, format: "esm" });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  return module.shapeTexts();
}
