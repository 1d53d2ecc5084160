// Builds dist/: the library as ES modules, and the command line as scripts, of which each command loads only what it
// needs.
//
//   node scripts/build.mjs            the program
//   node scripts/build.mjs --types    and the declarations for `import … from "segno"`
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
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
import { pruneTypes } from "./build/prune-types.mjs";
import { buildScripts } from "./build/scripts.mjs";
import { program } from "./build/settings.mjs";
import { warmUp } from "./build/warm-up.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const withTypes = process.argv.includes("--types");
const STALE_MS = 15 * 60 * 1000;

// Built beside and moved in file by file: a program that runs from dist/ while it is rebuilt still finds its chunks.
const fresh = mkdtempSync("dist-");
await build({
  ...program,
  entryPoints: { index: "src/index.ts", raise: "src/errors/raise.ts", template: "src/template/index.ts" },
  outdir: fresh,
  chunkNames: "chunks/[name]-[hash]",
  define: { SEGNO_VERSION: JSON.stringify(version) },
  // Some bundled packages are CommonJS and call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
const { main, scripts } = await buildScripts(version);
mkdirSync(join(fresh, "cli"));
for (const [name, text] of Object.entries(scripts)) writeFileSync(join(fresh, "cli", name), text);
writeFileSync(join(fresh, "main.cjs"), main);
chmodSync(join(fresh, "main.cjs"), 0o755);
// The same for whoever starts it by the name of a module.
writeFileSync(join(fresh, "main.js"), 'import "./main.cjs";\n');

for (const folder of ["chunks", "cli"]) moveIn(folder);
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

function moveIn(folder) {
  const here = join("dist", folder);
  mkdirSync(here, { recursive: true });
  const names = readdirSync(join(fresh, folder));
  for (const name of names) {
    if (isOtherText(join(fresh, folder, name), join(here, name))) forgetCode(here, name);
    renameSync(join(fresh, folder, name), join(here, name));
  }
  const isStale = (name) => withTypes || Date.now() - statSync(join(here, name)).mtimeMs > STALE_MS;
  for (const name of readdirSync(here))
    if (!names.some((one) => name.startsWith(one)) && isStale(name)) rmSync(join(here, name), { force: true });
}

function isOtherText(one, other) {
  return existsSync(other) && readFileSync(one, "utf8") !== readFileSync(other, "utf8");
}

/** Names tell texts apart, unless it is the build that has changed; V8 would believe code of another text. */
function forgetCode(folder, script) {
  for (const name of readdirSync(folder))
    if (name.startsWith(script) && name !== script) rmSync(join(folder, name), { force: true });
}
