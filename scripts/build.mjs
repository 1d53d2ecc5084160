// Builds dist/: the command line and the library, split so that each command loads only what it needs.
//
//   node scripts/build.mjs            the program
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

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const STALE_MS = 15 * 60 * 1000;

const entryPoints = {
  main: "src/main.ts",
  index: "src/index.ts",
  raise: "src/errors/raise.ts",
  template: "src/template/index.ts",
};

// Built beside and moved in file by file: a program that runs from dist/ while it is rebuilt still finds its chunks.
const fresh = mkdtempSync("dist-");
await build({
  entryPoints,
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  // Native, or there only when the user installed it.
  external: ["libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk"],
  define: { SEGNO_VERSION: JSON.stringify(version) },
  // Some bundled packages are CommonJS and call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});

mkdirSync("dist/chunks", { recursive: true });
const chunks = new Set(readdirSync(join(fresh, "chunks")));
for (const name of chunks) renameSync(join(fresh, "chunks", name), join("dist/chunks", name));
for (const name of Object.keys(entryPoints)) {
  const built = join(fresh, `${name}.js`);
  if (name === "main") {
    writeFileSync(built, `#!/usr/bin/env node\n${readFileSync(built, "utf8")}`);
    chmodSync(built, 0o755);
  }
  renameSync(built, join("dist", `${name}.js`));
}
rmSync(fresh, { recursive: true, force: true });
for (const name of readdirSync("dist/chunks"))
  if (
    !chunks.has(name) &&
    (process.argv.includes("--types") || Date.now() - statSync(join("dist/chunks", name)).mtimeMs > STALE_MS)
  )
    rmSync(join("dist/chunks", name), { force: true });

if (process.argv.includes("--types")) {
  rmSync("dist/types", { recursive: true, force: true });
  const { status } = spawnSync("node", ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
