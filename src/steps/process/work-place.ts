// In which folders agents work, of all processes of this user: what sandboxes need in a folder is shared by the agents in
// it, and goes with the last of them. Each leaves a note in a folder of its own below the temporary one, where no agent's
// sandbox lets it write. The note of a killed Segno stays; the next process that looks removes what it names.
import { readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { WORKS_IN, type WorkPlace } from "../../providers/coding/processes.ts";
import { system } from "./here.ts";
import { foldersLeftBehind, foldersOfProcesses, namedAfterThisProcess } from "./private-folder.ts";

const PREFIX = "segno-place-";
const AT_WORK = "at-work.json";
/** The agent has ended, but not the last one in its folder. */
const LEFT = "left.json";

interface Note {
  /** Of the folder that it lies in. */
  readonly path: string;
  readonly folder: string;
  /** What was not there before. */
  readonly absent: readonly string[];
  readonly isAtWork: boolean;
}

type Remove = (paths: readonly string[]) => Promise<void>;

export async function enterFolder(folder: string, absent: readonly string[]): Promise<WorkPlace> {
  const path = await mkdtemp(join(tmpdir(), namedAfterThisProcess(PREFIX)));
  await writeFile(join(path, AT_WORK), JSON.stringify({ folder, absent }), { mode: 0o600 });
  return {
    leave: async (remove) => {
      await rename(join(path, AT_WORK), join(path, LEFT)).catch(() => {});
      // Also its own, where other processes cannot be seen.
      await clear({ path, folder, absent, isAtWork: false }, remove);
    },
  };
}

/** Also of processes that were killed. */
export async function clearFolders(remove: Remove): Promise<void> {
  const byFolder = new Map(notes().map((note) => [note.folder, note]));
  for (const note of byFolder.values()) await clear(note, remove);
  for (const path of foldersLeftBehind(tmpdir(), PREFIX)) if (!noteIn(path)) await removeNote(path);
}

export const isWorkedIn = (folder: string): boolean =>
  notes().some((note) => note.isAtWork && note.folder === folder) || hasProcessFor(folder);

async function clear(own: Note, remove: Remove): Promise<void> {
  const here = [own, ...notes().filter(({ path, folder }) => folder === own.folder && path !== own.path)];
  if (here.some(({ isAtWork }) => isAtWork) || hasProcessFor(own.folder)) return;
  await remove([...new Set(here.flatMap(({ absent }) => absent))]);
  for (const { path } of here) await removeNote(path);
}

/** Another process may be quicker. */
const removeNote = (path: string): Promise<void> => rm(path, { recursive: true, force: true }).catch(() => {});

/** An agent may outlive its Segno for a while. */
const hasProcessFor = (folder: string): boolean =>
  system.environments().some((variables) => variables.includes(`${WORKS_IN}=${folder}`));

const notes = (): Note[] =>
  foldersOfProcesses(tmpdir(), PREFIX).flatMap(({ path, isOfTheLiving }) => {
    const note = noteIn(path);
    return note ? [{ ...note, isAtWork: note.isAtWork && isOfTheLiving }] : [];
  });

function noteIn(path: string): Note | undefined {
  const atWork = read(join(path, AT_WORK));
  const said = atWork ?? read(join(path, LEFT));
  return said && { path, ...said, isAtWork: atWork !== undefined };
}

function read(file: string): Pick<Note, "folder" | "absent"> | undefined {
  try {
    const said: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isMapping(said) || typeof said.folder !== "string" || !Array.isArray(said.absent)) return undefined;
    return { folder: said.folder, absent: said.absent.filter((path) => typeof path === "string") };
  } catch {
    // There is none, or its writer was killed in the middle: nothing had been started yet.
    return undefined;
  }
}
