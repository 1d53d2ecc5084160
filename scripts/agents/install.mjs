// Installs the coding agents that tests drive for real into .agents/, exactly as locked. Without them those tests are
// reported as skipped, by name.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = fileURLToPath(new URL("../../.agents/", import.meta.url));
const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

const lock = "package-lock.json";
const isThere = existsSync(`${folder}node_modules/.package-lock.json`) && read(`${folder}${lock}`) === read(here(lock));
if (isThere) {
  console.log("the agents are installed in .agents/");
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
for (const name of ["package.json", lock]) copyFileSync(here(name), `${folder}${name}`);
// Their install scripts only look for what is there already.
const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
  cwd: folder,
  stdio: "inherit",
});
process.exit(status ?? 1);
