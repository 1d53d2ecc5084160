// How esbuild splits the program.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { transform } from "esbuild";
import { late } from "./late.mjs";
import { common } from "./settings.mjs";

/** Files of other packages that are imported and never used here, 470 KB, and what takes their place. */
const UNUSED = [
  // Zod's messages in fifty languages: findings are written by Segno.
  { file: /zod[\\/]v4[\\/]locales[\\/]index\.js$/, contents: 'export { default as en } from "./en.js";' },
  // Schemas of zod 3, which other packages take besides those of zod 4.
  { file: /zod[\\/]v3[\\/]index\.js$/, contents: "export const object = undefined, ZodFirstPartyTypeKind = {};" },
  // Where the AI SDK sends a model that is given as a string: ours are objects.
  {
    file: /@ai-sdk[\\/]gateway[\\/]dist[\\/]index\.mjs$/,
    contents: `
      export class GatewayError { static isInstance() { return false; } }
      export const [GatewayAuthenticationError, gateway, createGateway] = [GatewayError];`,
  },
];
const withoutUnused = {
  name: "without unused",
  setup({ onLoad }) {
    for (const { file: filter, contents } of UNUSED) onLoad({ filter }, () => ({ contents }));
  },
};

const COPY_OF_AJV = /\/\/#region [^\n]*\/ajv@[\s\S]*(?=\/\/#region [^\n]*\/validators\/ajvProvider\.ts)/;
const PACKAGE_AJV = `
import ajv from "ajv";
import ajv2019 from "ajv/dist/2019.js";
import ajv2020 from "ajv/dist/2020.js";
import formats from "ajv-formats";
const [require_ajv, require__2019, require__2020, require_dist] = [ajv, ajv2019, ajv2020, formats].map((one) => () => one);
`;

/** MCP's server has a copy of ajv inside, and its client needs the package: here both have the package. */
const oneAjv = {
  name: "one ajv",
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[\\/]server[\\/]dist[\\/]ajvProvider-[\w-]+\.mjs$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!COPY_OF_AJV.test(text)) throw new Error(`${path} has no copy of ajv: remove "one ajv" from the build.`);
      return { contents: await shortNames(text.replace(COPY_OF_AJV, PACKAGE_AJV), path) };
    });
  },
};

/** Names stay in what is ours, for stack traces. In files of other packages they are shortened, whatever chunk has them. */
const shortNamesOfOthers = {
  name: "short names of others",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: await shortNames(readFileSync(path, "utf8"), path),
    }));
  },
};

async function shortNames(text, sourcefile) {
  const { target, legalComments } = common;
  return (await transform(text, { target, legalComments, sourcefile, minifyIdentifiers: true })).code;
}

/** Of a package that is loaded with `const { names } = await import("package")`, only what these names need. */
const onlyNamed = {
  name: "only named",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@[\w-]+\/)?[\w-]+$/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const text = readFileSync(importer, "utf8");
      const [, names] = text.match(new RegExp(`const \\{ ([\\w, ]+) \\} = await import\\("${path}"\\)`)) ?? [];
      if (names === undefined) return undefined;
      return { path, namespace: "only-named", pluginData: { names, resolveDir } };
    });
    onLoad({ filter: /.*/, namespace: "only-named" }, ({ path, pluginData: { names, resolveDir } }) => ({
      contents: `export { ${names} } from "${path}";`,
      resolveDir,
    }));
  },
};

/** What becomes scripts, of which each command and each function of the library loads only what it needs. */
export const split = async (entryPoints, version) => ({
  ...common,
  entryPoints,
  splitting: true,
  format: "esm",
  // Native, or there only when the user installed it.
  external: ["libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk", "pg", "@dbos-inc/dbos-sdk"],
  // Each provider asks for another patch of it, and all work with the newest.
  alias: { "@ai-sdk/provider-utils": resolve("node_modules/@ai-sdk/provider-utils/dist/index.mjs") },
  plugins: [onlyNamed, withoutUnused, await late(), oneAjv, shortNamesOfOthers],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  define: {
    SEGNO_VERSION: JSON.stringify(version),
    // The parts of the fleet's protocol that tests leave out cannot be left out of what is built.
    SEGNO_MUTANTS: "false",
    "import.meta.url": "__url",
  },
});
