// Folders for runs of a seed: its files, and a home and a log for each case. In memory where there is such a place.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = ["step.sh", "escalate.sh"];

export const newBase = () => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "segno-chaos-"));

export function newPlace(base, name, files) {
  const place = join(base, name);
  mkdirSync(place, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  for (const name of SCRIPTS) copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(place, name));
  return place;
}

/** What went well leaves nothing behind. */
export const forget = (place, name) => {
  rmSync(join(place, `home-${name}`), { recursive: true, force: true });
  for (const end of ["", ".up"]) rmSync(join(place, `log-${name}${end}`), { force: true });
};
