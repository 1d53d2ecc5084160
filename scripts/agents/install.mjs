// Installs the coding agents that tests drive for real into .agents/. Without them those tests are reported as skipped, by
// name.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Their programs can be had for some platforms alone, so they are in no lock file: `npm ci` refuses one with holes. Where
 * there is none for Copilot, its SDK is driven against a stand-in; the others are agents that speak ACP.
 */
const UNLOCKED = [
  "@github/copilot-sdk@1.0.14",
  "@google/gemini-cli@0.61.0",
  "opencode-ai@1.18.18",
  "@agentclientprotocol/claude-agent-acp@0.99.1",
  "@aaif/goose-acp@1.50.0",
];

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = fileURLToPath(new URL("../../.agents/", import.meta.url));
const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

const lock = "package-lock.json";
const stamp = `${folder}installed-from`;
const wanted = `${read(here(lock))}${UNLOCKED.join(" ")}`;
if (read(stamp) === wanted) {
  console.log("the agents are installed in .agents/");
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
for (const name of ["package.json", lock]) copyFileSync(here(name), `${folder}${name}`);
npm("ci");
// One says that it needs Node 22, and works on 20.
npm("install", "--no-save", "--no-package-lock", "--engine-strict=false", ...UNLOCKED);
// No scripts of packages are run but this one: it puts opencode's program in its place.
spawnSync(process.execPath, ["postinstall.mjs"], { cwd: `${folder}node_modules/opencode-ai`, stdio: "inherit" });
writeFileSync(stamp, wanted);

function npm(...args) {
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
  const { status } = spawnSync("npm", [...args, ...quiet], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
