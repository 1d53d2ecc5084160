// The fast checks: types, lint and format, dead code. All run, all are reported, one exit code.
import { spawn } from "node:child_process";
import { PAGE } from "./places.mjs";

const checks = [
  ["types", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "."]],
  ["types of the page", ["node_modules/typescript/bin/tsc", "--noEmit", "-p", PAGE.folder]],
  ["lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--max-diagnostics=50"]],
  ["dead code", ["node_modules/knip/bin/knip.js", "--no-progress"]],
];

const run = ([name, args]) =>
  new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.on("data", (d) => (text += d));
    child.stderr.on("data", (d) => (text += d));
    child.on("close", (code) => done({ name, code, text }));
  });

let failed = 0;
for (const { name, code, text } of await Promise.all(checks.map(run))) {
  console.log(code === 0 ? `ok    ${name}` : `FAIL  ${name}\n${text}`);
  if (code !== 0) failed = 1;
}
process.exit(failed);
