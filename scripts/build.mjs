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
import { join } from "node:path";
import { build } from "esbuild";
import { buildPage } from "./build/page.mjs";
import { pruneTypes } from "./build/prune-types.mjs";
import { buildCommandLine, buildLibrary } from "./build/scripts.mjs";
import { common } from "./build/settings.mjs";
import { warmUp } from "./build/warm-up.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const withTypes = process.argv.includes("--types");
const onlyPage = process.argv.includes("--page");
const STALE_MS = 15 * 60 * 1000;

// Built beside and moved in file by file: a program that runs from dist/ while it is rebuilt still finds its chunks.
const fresh = mkdtempSync("dist-");
if (onlyPage) {
  writePage(await buildPage(version));
  movePageIn();
  rmSync(fresh, { recursive: true, force: true });
  process.exit(0);
}
await build({
  ...common,
  entryPoints: {
    raise: "src/errors/raise.ts",
    template: "src/template/index.ts",
    "plugin-gate": "src/services/project/gate/import-hooks.ts",
  },
  outdir: fresh,
  format: "esm",
});
const { main, scripts } = await buildCommandLine(version);
const library = await buildLibrary(version);
writeScripts("cli", scripts);
writeScripts("library", library.scripts);
writeFileSync(join(fresh, "index.js"), library.index);
writeFileSync(join(fresh, "main.cjs"), main);
chmodSync(join(fresh, "main.cjs"), 0o755);
// The same for whoever starts it by the name of a module.
writeFileSync(join(fresh, "main.js"), 'import "./main.cjs";\n');

writePage(await buildPage(version));

for (const folder of ["library", "cli"]) moveIn(folder);
movePageIn();
for (const name of readdirSync(fresh)) if (name.endsWith("js")) renameSync(join(fresh, name), join("dist", name));
rmSync(fresh, { recursive: true, force: true });
warmUp();

if (withTypes) {
  rmSync("dist/types", { recursive: true, force: true });
  const { status } = spawnSync("node", ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  pruneTypes("dist/types", ["index.d.ts", "errors/raise.d.ts", "template/index.d.ts"]);
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
