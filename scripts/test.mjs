// The tests, in two tiers (test/tiers.ts).
//
//   npm test                   types, lint, dead code, and the fast tier: what one runs at every change
//   npm test -- src/engine     the tests whose path has these words, of either tier; options go to vitest
//   npm run test:all           the fast tier and everything that needs a database, a browser, a coding agent
//   npm run test:all -- --beyond   of it, only what npm test does not run
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const TIERS = ["--all", "--beyond"];
const rest = process.argv.slice(2).filter((arg) => !TIERS.includes(arg));
const [isAll, isBeyond] = TIERS.map((tier) => process.argv.includes(tier));
const began = performance.now();

const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
const vitest = (...args) => node("node_modules/vitest/vitest.mjs", "run", ...args);

node("scripts/build.mjs");
if (rest.length > 0) vitest(...rest);
else {
  if (!isBeyond) node("scripts/check.mjs");
  vitest("--reporter=dot", ...(isBeyond ? ["--project=all*"] : isAll ? [] : ["--project=fast-*"]));
  if (!isAll) await sayWhatIsBeyond();
}

/** What a green `npm test` has not looked at. */
async function sayWhatIsBeyond() {
  const { code } = transformSync(readFileSync("test/tiers.ts", "utf8"), { loader: "ts" });
  const { BEYOND } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const rows = Object.entries(BEYOND).map(([folder, about]) => `  ${folder.padEnd(14)} ${about}`);
  console.log(
    `\n${Math.round((performance.now() - began) / 1000)} s. Not in this tier, but in npm run test:all:\n${rows.join("\n")}`,
  );
}
