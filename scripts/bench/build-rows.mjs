// Bundles the in-process rows from the sources, so that they measure the engine and not the start-up.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** `source`: which rows; those of a fleet only where there is a Postgres for them. */
export async function buildRows(folder, source = "rows") {
  // Beside node_modules, so that the native driver is found.
  const file = join(process.cwd(), "dist", `bench-${source}.mjs`);
  await build({
    entryPoints: [`scripts/bench/${source}.ts`],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: [
      "playwright-core",
      "libsql",
      "@libsql/*",
      "node:sqlite",
      "@github/copilot-sdk",
      "pg",
      "@dbos-inc/dbos-sdk",
    ],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const names = [...readFileSync(`scripts/bench/${source}.ts`, "utf8").matchAll(/^ {2}"([^"]+)":/gm)].map(
    ([, name]) => name,
  );
  return { file, names, folder };
}
