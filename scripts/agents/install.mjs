// Installs the coding agents that tests drive for real into .agents/, exactly as locked. Without them those tests are
// reported as skipped, by name.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = fileURLToPath(new URL("../../.agents/", import.meta.url));
const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

const lock = "package-lock.json";
const stamp = `${folder}installed-from`;
if (read(stamp) === read(here(lock))) {
  console.log("the agents are installed in .agents/");
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
for (const name of ["package.json", lock]) copyFileSync(here(name), `${folder}${name}`);
// Not `npm ci`: it refuses a lock without the packages of all platforms, and Copilot's are not to be had for all of them.
const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
if (status === 0) copyFileSync(here(lock), stamp);
process.exit(status ?? 1);
