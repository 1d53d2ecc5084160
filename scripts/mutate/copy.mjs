// A copy of the project in which every chosen change is there and asleep: one number in a file wakes one of them, so that
// nothing is built anew for each, and a first run without any tells which test files come by which change.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PAGE } from "../places.mjs";

/** What a browser runs cannot ask which change is awake: those changes are written into the copy one by one. */
export const isOfPage = ({ file }) => file.startsWith(`${PAGE.folder}/`);

export function makeCopy(files, mutants) {
  const folder = mkdtempSync(join(tmpdir(), "segno-mutate-"));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file));
  }
  for (const name of ["node_modules", ".agents"])
    if (existsSync(name)) spawnSync("cp", ["-al", name, join(folder, name)], { stdio: "inherit" });
  mkdirSync(join(folder, ".mutate"));
  wake(folder, 0);
  for (const mutant of mutants.filter((one) => !isOfPage(one))) {
    const text = readFileSync(mutant.file, "utf8");
    const changed = replaced(text, mutant, asleep(mutant));
    writeFileSync(join(folder, mutant.file), `${changed}\n${askWhichIsAwake(folder)}\n`);
  }
  return folder;
}

export const wake = (folder, id) => writeFileSync(join(folder, ".mutate/awake"), String(id));

/** As the change would be written by hand. */
export const applied = (text, mutant) => replaced(text, mutant, mutant.after);

const replaced = (text, { start, end }, by) => text.slice(0, start) + by + text.slice(end);

const asleep = ({ id, before, after, isStatement }) =>
  isStatement ? `if (!__awake(${id})) { ${before} }` : `(__awake(${id}) ? (${after}) : (${before}))`;

/** A declaration, so that it is there before the module's first line runs. */
const askWhichIsAwake = (folder) => `function __awake(id) {
  if (typeof process === "undefined" || !process.getBuiltinModule) return false;
  let state = globalThis.__segnoMutate;
  const fs = process.getBuiltinModule("node:fs");
  if (!state) {
    state = globalThis.__segnoMutate = { awake: 0, met: new Set(), records: fs.existsSync(${JSON.stringify(join(folder, ".mutate/record"))}) };
    try { state.awake = Number(fs.readFileSync(${JSON.stringify(join(folder, ".mutate/awake"))}, "utf8")); } catch {}
  }
  if (state.records) {
    const file = globalThis.__vitest_worker__?.filepath ?? "";
    const met = id + " " + file;
    if (!state.met.has(met)) {
      state.met.add(met);
      try { fs.appendFileSync(${JSON.stringify(join(folder, ".mutate/reached"))}, id + " " + Date.now() + " " + file + "\\n"); } catch {}
    }
  }
  return state.awake === id;
}`;

export function record(folder, isOn) {
  const mark = join(folder, ".mutate/record");
  if (isOn) writeFileSync(mark, "");
  else rmSync(mark, { force: true });
}
