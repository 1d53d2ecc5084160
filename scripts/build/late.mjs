// Two things of src/language/ that only the built program has, because it starts so often: doors to the schemas that are
// opened on first use, and the shapes of all parts of a file worked out beforehand.
import { basename, dirname, relative, resolve } from "node:path";
import { build } from "esbuild";
import { LOADED } from "../places.mjs";
import { common, stepFiles } from "./settings.mjs";

/** Files that export only functions, loaded when the first of them is called. Here is what takes their place. */
const DOORS = [...stepFiles("schema.ts"), LOADED.bySchema, LOADED.validate, LOADED.ownStepSchema, LOADED.projectPeople];

/** Marks an import that has to be answered at once. */
const AT_ONCE = "SEGNO_AT_ONCE";

export async function late() {
  const exported = new Map(await Promise.all(DOORS.map(async (file) => [file, await exportsOf(file)])));
  const texts = await shapeTexts();
  const named = new RegExp(`/(${DOORS.map((file) => basename(file, ".ts")).join("|")})\\.ts$`);
  return {
    name: "late",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: named }, ({ path, kind, resolveDir }) => {
        const file = relative(process.cwd(), resolve(resolveDir, path));
        if (!DOORS.includes(file)) return undefined;
        const isDoor = kind === "import-statement";
        return { path: resolve(file), ...(isDoor ? { namespace: "door", pluginData: { file } } : {}) };
      });
      onLoad({ filter: /.*/, namespace: "door" }, ({ pluginData: { file } }) => ({
        contents: [
          `const open = () => ${AT_ONCE}(import("./${basename(file)}"));`,
          ...exported.get(file).map((name) => `export const ${name} = (...given) => open().${name}(...given);`),
        ].join("\n"),
        resolveDir: dirname(resolve(file)),
      }));
      onLoad({ filter: /shapes\.ts$/ }, ({ path }) =>
        relative(process.cwd(), path) === LOADED.shapes
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
  const { outputFiles } = await build({
    ...common,
    entryPoints: [LOADED.shapes],
    external: ["./run.ts"],
    write: false,
    format: "esm",
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  return module.shapeTexts();
}
