// Where a project begins: `segno.yaml`, from the working folder upwards, not above the repository. Asked at every start,
// so it looks at names only.
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export const PROJECT_FILE = "segno.yaml";

/** The project's file; nothing when there is none. */
export function findProjectFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, PROJECT_FILE);
    if (existsSync(file)) return file;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

/** Whoever may write the file decides what runs here: a file of somebody else is none of ours. */
export function isOwnedByUs(file: string): boolean {
  const me = process.geteuid?.();
  if (me === undefined) return true;
  return [file, dirname(file)].every((path) => statSync(path).uid === me);
}
