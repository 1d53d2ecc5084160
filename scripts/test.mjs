// What CI runs: the fast checks, then every test. Arguments go to vitest (`npm test -- src/template`).
import { spawnSync } from "node:child_process";

const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
const rest = process.argv.slice(2);
node("scripts/build.mjs");
if (rest.length === 0) node("scripts/check.mjs");
node("node_modules/vitest/vitest.mjs", "run", ...rest);
