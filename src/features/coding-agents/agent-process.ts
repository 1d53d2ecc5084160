// A coding agent's process, its temporary folder, and the folder that it works in. What sandboxes put there is shared by the
// agents in it, of all processes of this user, and goes with the last of them.
import type { ChildProcess } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { endMarked, endTree } from "../../steps/process/end-tree.ts";
import { system } from "../../steps/process/here.ts";
import { ARCHITECTURE, PLATFORM } from "../../steps/process/platform.ts";
import { foldersLeftBehind, foldersOfProcesses, namedAfterThisProcess } from "../../steps/process/private-folder.ts";
import { startProcess, whileAlive } from "../../steps/process/start-process.ts";
import {
  type AgentFolder,
  type AgentProcess,
  type AgentProcesses,
  type AgentProcessRequest,
  WORKS_IN,
  type WorkPlace,
} from "./agent.ts";

const KEPT_STDERR = 4000;

export const agentProcesses: AgentProcesses = {
  machine: { platform: PLATFORM, arch: ARCHITECTURE },
  startNow,
  makeFolder: makeAgentFolder,
  enterFolder,
  clearFolders,
  isWorkedIn,
  async endMarked([name, value]) {
    await endMarked(`${name}=${value}`);
  },
};

function startNow({ command, args, cwd, env, mark, secret }: AgentProcessRequest): AgentProcess {
  const secretly = secret === undefined ? "ignore" : "pipe";
  const child = startProcess({ command, args, cwd, env }, ["pipe", "pipe", "pipe", secretly]);
  // A failed start is an `error` event, which the caller listens to as well; without a listener it would be thrown.
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  if (secret !== undefined) (child.stdio[3] as Writable).on("error", () => {}).end(secret);
  const release = whileAlive(pid);
  const identity = system.identityOf(pid);
  const exited = exitOf(child);
  void exited.then(release);
  const tail = stderrOf(child);
  let ending: Promise<void> | undefined;
  return {
    pid,
    identity,
    child,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderrTail: () => tail().trim(),
    exited,
    end: () => (ending ??= endTree({ pid, identity, mark: mark.join("=") }, GRACE_MS)),
  };
}

/** Agents save their session as they go; they need no time to end. */
const GRACE_MS = 1500;

const exitOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`)));

function stderrOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-KEPT_STDERR);
  });
  child.stdin?.on("error", () => {});
  return () => text;
}

/** Of notes, one for each agent, where no sandbox lets it write. That of a killed Segno is removed by the next that looks. */
const PLACE_PREFIX = "segno-place-";
const AT_WORK = "at-work.json";
/** The agent has ended, but not the last one in its folder. */
const LEFT = "left.json";

interface Note {
  readonly path: string;
  readonly folder: string;
  readonly absent: readonly string[];
  readonly isAtWork: boolean;
}

type Remove = (paths: readonly string[]) => Promise<void>;

export async function enterFolder(folder: string, absent: readonly string[]): Promise<WorkPlace> {
  const path = await mkdtemp(join(tmpdir(), namedAfterThisProcess(PLACE_PREFIX)));
  await writeFile(join(path, AT_WORK), JSON.stringify({ folder, absent }), { mode: 0o600 });
  return {
    leave: async (remove) => {
      await rename(join(path, AT_WORK), join(path, LEFT)).catch(() => {});
      // Also its own, where other processes cannot be seen.
      await clear({ path, folder, absent, isAtWork: false }, remove);
    },
  };
}

export async function clearFolders(remove: Remove): Promise<void> {
  const byFolder = new Map(notes().map((note) => [note.folder, note]));
  for (const note of byFolder.values()) await clear(note, remove);
  for (const path of foldersLeftBehind(tmpdir(), PLACE_PREFIX)) if (!noteIn(path)) await removeNote(path);
}

export function isWorkedIn(folder: string): boolean {
  return notes().some((note) => note.isAtWork && note.folder === folder) || hasProcessFor(folder);
}

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
  foldersOfProcesses(tmpdir(), PLACE_PREFIX).flatMap(({ path, isOfTheLiving }) => {
    const note = noteIn(path);
    return note ? [{ ...note, isAtWork: note.isAtWork && isOfTheLiving }] : [];
  });

function noteIn(path: string): Note | undefined {
  const atWork = readNote(join(path, AT_WORK));
  const said = atWork ?? readNote(join(path, LEFT));
  return said && { path, ...said, isAtWork: atWork !== undefined };
}

function readNote(file: string): Pick<Note, "folder" | "absent"> | undefined {
  try {
    const said: unknown = parseJson(readFileSync(file, "utf8"));
    if (!isMapping(said) || typeof said.folder !== "string" || !Array.isArray(said.absent)) return undefined;
    return { folder: said.folder, absent: said.absent.filter((path) => typeof path === "string") };
  } catch {
    // There is none, or its writer was killed in the middle: nothing had been started yet.
    return undefined;
  }
}

/** Removed with its agent, on the way out of the process, or, when that was killed, by the one that makes the next. */
const PREFIX = "segno-agent-";
const folders = new Set<string>();

export async function makeAgentFolder(): Promise<AgentFolder> {
  await removeLeftAgentFolders();
  const path = await mkdtemp(join(tmpdir(), namedAfterThisProcess(PREFIX)));
  if (folders.size === 0) process.once("exit", removeAll);
  folders.add(path);
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true });
      folders.delete(path);
      if (folders.size === 0) process.removeListener("exit", removeAll);
    },
  };
}

/** Removes what killed processes left behind. An agent may outlive its Segno for a while: what it still uses stays. */
export async function removeLeftAgentFolders(parent = tmpdir()): Promise<void> {
  const left = foldersLeftBehind(parent, PREFIX);
  if (left.length === 0) return;
  const environments = system.environments().map((variables) => variables.join("\n"));
  for (const path of left)
    if (!environments.some((variables) => variables.includes(path)))
      await rm(path, { recursive: true, force: true }).catch(() => {});
}

function removeAll(): void {
  for (const path of folders) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Its agent still writes in it, and is ended after this; the next one removes it.
    }
  }
}
