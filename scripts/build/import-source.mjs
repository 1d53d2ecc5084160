// Imports a file of the sources. They are TypeScript, and Node 20 does not read it: bundled once, beside node_modules so that
// packages are found.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export async function importSource(file) {
  const folder = mkdtempSync("node_modules/.source-");
  try {
    const outfile = join(folder, "source.mjs");
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
