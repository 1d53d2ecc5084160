// Builds dist/: the command line and the library as scripts, of which each command and each function loads only what it
// needs.
//
//   node scripts/build.mjs            the program
//   node scripts/build.mjs --page     its web page alone
//   node scripts/build.mjs --types    and the declarations for `import … from "segno"`
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { importSource } from "./build/import-source.mjs";
import { billOfMaterials, bundledPackages, licensesText } from "./build/licenses.mjs";
import { buildPage } from "./build/page.mjs";
import { pruneTypes } from "./build/prune-types.mjs";
import { buildScripts } from "./build/scripts.mjs";
import { common } from "./build/settings.mjs";
import { warmUp } from "./build/warm-up.mjs";
import { DECLARATIONS, DECLARED, declarationOf, FROM_SCHEMAS, STANDING_ALONE } from "./places.mjs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { version } = manifest;
const withTypes = process.argv.includes("--types");
const onlyPage = process.argv.includes("--page");
const STALE_MS = 15 * 60 * 1000;

// Built beside and moved in file by file: a program that runs from dist/ while it is rebuilt still finds its chunks.
const fresh = mkdtempSync("dist-");
if (onlyPage) {
  writePage((await buildPage(version)).files);
  movePageIn();
  rmSync(fresh, { recursive: true, force: true });
  process.exit(0);
}
const standing = await build({ ...common, metafile: true, entryPoints: STANDING_ALONE, outdir: fresh, format: "esm" });
const { main, doors, scripts, metafile } = await buildScripts(version);
writeScripts("parts", scripts);
for (const [name, text] of Object.entries(doors)) writeFileSync(join(fresh, `${name}.js`), text);
writeFileSync(join(fresh, "main.cjs"), main);
chmodSync(join(fresh, "main.cjs"), 0o755);
// The same for whoever starts it by the name of a module.
writeFileSync(join(fresh, "main.js"), 'import "./main.cjs";\n');

const page = await buildPage(version);
writePage(page.files);

const packages = bundledPackages([standing.metafile, metafile, ...page.metafiles]);
writeFileSync("THIRD_PARTY_LICENSES", licensesText(packages));
writeFileSync("sbom.cdx.json", billOfMaterials(packages, manifest));

moveIn("parts");
for (const folder of ["library", "cli"]) rmSync(join("dist", folder), { recursive: true, force: true });
movePageIn();
// What is in which chunk, for whoever wants to know what a command loads. It is not packed.
writeFileSync("dist/chunks.json", JSON.stringify({ ...standing.metafile.outputs, ...metafile.outputs }));
for (const name of readdirSync(fresh)) if (name.endsWith("js")) renameSync(join(fresh, name), join("dist", name));
rmSync(fresh, { recursive: true, force: true });
warmUp();

if (withTypes) {
  rmSync(DECLARATIONS, { recursive: true, force: true });
  // On one thread, which takes half of the processor time.
  const tsc = ["node_modules/typescript/bin/tsc", "--singleThreaded", "-p", "tsconfig.types.json"];
  const { status } = spawnSync("node", tsc, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  const { declarations } = await importSource("scripts/build/declarations.ts");
  writeFileSync(declarationOf(FROM_SCHEMAS.file), declarations());
  pruneTypes(
    DECLARATIONS,
    DECLARED.map((file) => relative(DECLARATIONS, declarationOf(file))),
  );
}

function writeScripts(folder, texts) {
  mkdirSync(join(fresh, folder));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(fresh, folder, name), text);
}

function writePage(files) {
  mkdirSync(join(fresh, "page/assets"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(fresh, "page", name), text);
}

function movePageIn() {
  moveIn("page/assets");
  renameSync(join(fresh, "page/index.html"), "dist/page/index.html");
}

function moveIn(folder) {
  const here = join("dist", folder);
  mkdirSync(here, { recursive: true });
  const names = readdirSync(join(fresh, folder));
  for (const name of names) renameSync(join(fresh, folder, name), join(here, name));
  const isStale = (name) => withTypes || Date.now() - statSync(join(here, name)).mtimeMs > STALE_MS;
  for (const name of readdirSync(here))
    if (!names.includes(name) && isStale(name)) rmSync(join(here, name), { force: true });
}
