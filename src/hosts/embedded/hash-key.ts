// The key under which environment values are digested for hashes: one for each store, made when first needed.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./private-files.ts";

export function hashKeyOf(home: string): string {
  const file = join(home, "hash.key");
  try {
    return readFileSync(file, "utf8");
  } catch {
    const key = randomBytes(32).toString("hex");
    makeFolder(home);
    try {
      // Another process may make it at the same moment: the first one counts.
      writeFileSync(file, key, { mode: 0o600, flag: "wx" });
      return key;
    } catch {
      return readFileSync(file, "utf8");
    }
  }
}
