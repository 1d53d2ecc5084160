// npm run test:windows: the packed program under Wine, with a real node.exe. Where that cannot be, it is skipped, by name.
//
//   npm run test:windows              all of it
//   npm run test:windows -- cancel    what has one of these words in its name
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CannotRun, runInWine, windowsHere } from "./chroot.mjs";

const here = fileURLToPath(new URL("../../", import.meta.url));
const began = performance.now();
const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`;

try {
  const root = windowsHere(console.log);
  const place = join(root, "work");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  install(place);
  cpSync(join(here, "scripts/windows/suite"), join(place, "suite"), { recursive: true });
  cpSync(join(here, "examples"), join(place, "examples"), { recursive: true });
  console.log(`set up after ${seconds()}`);
  const log = join(place, "log");
  const code = await runInWine(root, ["Z:\\work\\suite\\main.cjs", ...process.argv.slice(2)], log);
  console.log(readFileSync(log, "utf8").trimEnd());
  console.log(`npm run test:windows: ${code === 0 ? "all is well" : "failed"} after ${seconds()}`);
  process.exitCode = code === 0 ? 0 : 1;
} catch (problem) {
  if (!(problem instanceof CannotRun)) throw problem;
  console.log(`npm run test:windows is skipped: ${problem.message}`);
}

/** As a user of Windows has it: packed, and with the packages for Windows. */
function install(place) {
  must(process.execPath, ["scripts/build.mjs"], here);
  must("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", place], here);
  const packed = readdirSync(place).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(place, "package.json"), "{}\n");
  const machine = ["--os=win32", `--cpu=${process.arch}`];
  must("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", ...machine, packed], place);
}

function must(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  const said = `${stdout}\n${stderr}`.trim();
  if (/EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/.test(said)) throw new CannotRun("npm cannot reach its registry");
  throw new Error(`${command} ${args.join(" ")} failed:\n${said}`);
}
