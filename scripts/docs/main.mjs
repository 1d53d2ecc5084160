// Writes the pages of docs/ that come from the sources: the language, the command line, the kinds and the events. Pictures of
// the page, where there is a browser: those that are missing, or all.
//
//   npm run docs
//   npm run docs -- --pictures
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { importSource } from "../build/import-source.mjs";
import { canTakePictures, hasPictures, takePictures } from "./pictures.mjs";

const { PAGES } = await importSource("scripts/docs/pages.ts");
for (const [name, page] of Object.entries(PAGES)) {
  writeFileSync(join("docs", name), page());
  console.log(`docs/${name}`);
}

if (canTakePictures() && (process.argv.includes("--pictures") || !hasPictures())) await takePictures();
