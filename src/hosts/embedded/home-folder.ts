// The folder that all runs of a home are in. One that Segno makes itself says to git that nothing in it is to be committed:
// a project's home lies in its repository, and runs hold what they were given.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, PRIVATE_FILE } from "../files/private-files.ts";

/** A folder that already exists belongs to the user, who decides what git sees of it: it gets no `.gitignore`. */
export function makeHome(home: string): void {
  const isThere = existsSync(home);
  makeFolder(home);
  if (isThere) return;
  try {
    writeFileSync(join(home, ".gitignore"), "*\n", { flag: "wx", mode: PRIVATE_FILE });
  } catch {
    // Another process was quicker, or the disk is full, which the next write says better.
  }
}
