// How esbuild splits the command line.
import { late } from "./late.mjs";
import { program } from "./settings.mjs";

export const settings = async (version) => ({
  ...program,
  plugins: [...program.plugins, await late()],
  entryPoints: { main: "src/main.ts" },
  chunkNames: "[name]-[hash]",
  define: { SEGNO_VERSION: JSON.stringify(version), "import.meta.url": "__url" },
});
