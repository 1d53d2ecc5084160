// Builds dist/: the command line and the library, split so that each command loads only what it needs.
//
//   node scripts/build.mjs            the program
//   node scripts/build.mjs --types    and the declarations for `import … from "segno"`
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });

const entryPoints = {
  main: "src/main.ts",
  index: "src/index.ts",
  raise: "src/errors/raise.ts",
  template: "src/template/index.ts",
};

await build({
  entryPoints,
  outdir: "dist",
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

const main = readFileSync("dist/main.js", "utf8");
writeFileSync("dist/main.js", main.startsWith("#!") ? main : `#!/usr/bin/env node\n${main}`);
chmodSync("dist/main.js", 0o755);

if (process.argv.includes("--types")) {
  const { status } = spawnSync("node", ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
