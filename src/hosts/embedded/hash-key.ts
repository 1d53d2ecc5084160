// The key under which environment values are digested for hashes: one for each store, made when first needed.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../files/private-files.ts";
import { makeHome } from "./home-folder.ts";

export function hashKeyOf(home: string): string {
  const file = join(home, "hash.key");
  return read(file) ?? made(home, file);
}

function read(file: string): string | undefined {
  try {
    const key = readFileSync(file, "utf8");
    // An empty file is what a crash of an older version left behind.
    return key === "" ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Written under another name and then linked: no process reads half a key, and the first of several processes wins. */
function made(home: string, file: string): string {
  const key = randomBytes(32).toString("hex");
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  makeHome(home);
  writePrivate(draft, key, false);
  try {
    linkSync(draft, file);
    return key;
  } catch {
    const first = read(file);
    if (first !== undefined) return first;
    // Where there are no links, or the file is there and empty, the last one counts.
    writePrivate(file, key, false);
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}
