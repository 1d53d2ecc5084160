// Writes the pages of docs/ that come from the sources: the language, the command line, the kinds and the events; and the
// types of events that the library hands out. Pictures of the page, where there is a browser: those that are missing, or all.
//
//   npm run docs
//   npm run docs -- --pictures
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { canTakePictures, hasPictures, takePictures } from "./pictures.mjs";

// The sources are TypeScript, and Node 20 does not read it: bundled once, beside node_modules so that packages are found.
const folder = mkdtempSync("node_modules/.docs-");
try {
  const outfile = join(folder, "pages.mjs");
  await build({
    entryPoints: ["scripts/docs/pages.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  const { PAGES, SOURCES } = await import(pathToFileURL(outfile).href);
  for (const [name, page] of Object.entries(PAGES)) {
    writeFileSync(join("docs", name), page());
    console.log(`docs/${name}`);
  }
  for (const [path, source] of Object.entries(SOURCES)) {
    writeFileSync(path, source());
    console.log(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (canTakePictures() && (process.argv.includes("--pictures") || !hasPictures())) await takePictures();
