// How esbuild splits the program.
import { late } from "./late.mjs";
import { common } from "./settings.mjs";

/** Zod's messages in fifty languages, 280 KB of which none is used: findings are written by Segno. */
const withoutLocales = {
  name: "without locales",
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
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
  plugins: [withoutLocales, await late()],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  define: {
    SEGNO_VERSION: JSON.stringify(version),
    // The parts of the fleet's protocol that tests leave out cannot be left out of what is built.
    SEGNO_MUTANTS: "false",
    "import.meta.url": "__url",
  },
});
