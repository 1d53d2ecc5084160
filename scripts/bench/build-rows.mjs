// Bundles the in-process rows from the sources, so that they measure the engine and not the start-up.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export async function buildRows(folder) {
  // Beside node_modules, so that the native driver is found.
  const file = join(process.cwd(), "dist", "bench-rows.mjs");
  await build({
    entryPoints: ["scripts/bench/rows.ts"],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["playwright-core", "libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const names = [...readFileSync("scripts/bench/rows.ts", "utf8").matchAll(/^ {2}"([^"]+)":/gm)].map(
    ([, name]) => name,
  );
  return { file, names, folder };
}
