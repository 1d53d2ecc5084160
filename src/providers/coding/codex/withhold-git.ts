// Codex asks git about the repository for its own records, outside of every sandbox and before the model says a word. Git
// then runs the filters that the repository's settings name. None of these records is needed here, so that the git which
// Codex finds first does nothing. Commands have a PATH of their own, with the real one on it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Gives the folder that is to stand first in the PATH of Codex itself. */
export async function withholdGit(temporary: string): Promise<string> {
  const folder = join(temporary, "of-codex-alone");
  await mkdir(folder);
  await writeFile(join(folder, "git"), "#!/bin/sh\nexit 128\n", { mode: 0o700 });
  return folder;
}
