// The tests, in two tiers (test/tiers.ts).
//
//   npm test                   types, lint, dead code, and the fast tier: what one runs at every change
//   npm test -- src/engine     the tests whose path has these words, of either tier; options go to vitest
//   npm run test:all           the fast tier and everything that needs a database, a browser, a coding agent
//   npm run test:all -- --beyond   of it, only what npm test does not run
import { spawn } from "node:child_process";
import { BEYOND } from "./places.mjs";

const TIERS = ["--all", "--beyond"];
const rest = process.argv.slice(2).filter((arg) => !TIERS.includes(arg));
const [isAll, isBeyond] = TIERS.map((tier) => process.argv.includes(tier));
const began = performance.now();

/** Ends with the first that fails, and ends the others with it. */
const node = (...args) =>
  new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    running.add(child);
    child.on("close", (code) => {
      running.delete(child);
      if (code === 0) return done();
      for (const other of running) other.kill();
      process.exit(code ?? 1);
    });
  });
const running = new Set();
const vitest = (...args) => node("node_modules/vitest/vitest.mjs", "run", ...args);
// A run for a landing does not fail for a fault of one test alone; it names the test, which is then to be mended.
const secondTry = process.env.CI ? ["--retry=1", "--reporter=./scripts/second-try.mjs"] : [];

await node("scripts/build.mjs");
if (rest.length > 0) await vitest(...rest);
else {
  const tests = vitest(
    "--reporter=dot",
    ...secondTry,
    ...(isBeyond ? ["--project=all*"] : isAll ? [] : ["--project=fast-*"]),
  );
  // Beside the tests, many of which wait: together they take less time than one after the other.
  await Promise.all(isBeyond ? [tests] : [tests, node("scripts/check.mjs")]);
  if (!isAll) sayWhatIsBeyond();
}

/** What a green `npm test` has not looked at. */
function sayWhatIsBeyond() {
  const rows = Object.entries(BEYOND).map(([folder, about]) => `  ${folder.padEnd(14)} ${about}`);
  console.log(
    `\n${Math.round((performance.now() - began) / 1000)} s. Not in this tier, but in npm run test:all:\n${rows.join("\n")}`,
  );
}
