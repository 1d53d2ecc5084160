// How the live preview tells an editor to go to a line: a file in a folder of the user's own home. A language server that
// has the workflow in its workspace takes it away and shows the place. Each server that listens has a file there as well,
// named after its process: where none is alive, there is no editor to wait for.
import { randomBytes } from "node:crypto";
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { isAlive } from "../../steps/process/private-folder.ts";
import { homeOf } from "../session/home.ts";
import type { Session } from "../session/session.ts";

const placeSchema = z.strictObject({ file: z.string(), line: z.int().min(1), column: z.int().min(1) });
export type ShownPlace = z.output<typeof placeSchema>;

/** An editor that is there answers within milliseconds, unless the machine is busy. */
const LONGEST_MS = 5000;
const LOOK_MS = 25;

/** Not the home of a project: a clone may bring one, and both sides must mean the same. */
const folderOf = ({ cwd, env }: Session): string => join(homeOf({ cwd, env }), "editors");

/** There whole or not at all, and for this user alone. */
function writePrivate(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/** Gives whether an editor has taken it. */
export async function showInEditor(place: ShownPlace, session: Session): Promise<boolean> {
  const folder = folderOf(session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!readdirSync(folder).some(isListening)) return false;
  const request = join(folder, `${randomBytes(8).toString("hex")}.json`);
  writePrivate(request, JSON.stringify(place));
  try {
    for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
      if (!existsSync(request)) return true;
      await pause(LOOK_MS);
    }
    return !existsSync(request);
  } finally {
    rmSync(request, { force: true });
  }
}

const LISTENS = /^(\d+)\.listens$/;

const isListening = (name: string): boolean => {
  const pid = Number(LISTENS.exec(name)?.[1]);
  return pid > 0 && isAlive(pid);
};

/** Calls `show` with each place in a file that `isOurs`; gives what ends it. */
export function hearShowRequests(
  session: Session,
  isOurs: (file: string) => boolean,
  show: (place: ShownPlace) => void,
): () => void {
  let watcher: FSWatcher | undefined;
  let mark: string | undefined;
  try {
    const folder = folderOf(session);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder))
      if (LISTENS.test(name) && !isListening(name)) rmSync(join(folder, name), { force: true });
    watcher = watch(folder, { persistent: false }, (_, name) => {
      const place = name?.endsWith(".json") ? taken(join(folder, name), isOurs) : undefined;
      if (place) show(place);
    });
    watcher.on("error", () => watcher?.close());
    mark = join(folder, `${process.pid}.listens`);
    writePrivate(mark, "");
  } catch {
    // No home, or one that is not the user's alone: the preview says that no editor is connected.
  }
  return () => {
    watcher?.close();
    if (mark !== undefined) rmSync(mark, { force: true });
  };
}

/** Of several servers the one that removes the file has it. */
function taken(request: string, isOurs: (file: string) => boolean): ShownPlace | undefined {
  try {
    const { success, data } = placeSchema.safeParse(JSON.parse(readFileSync(request, "utf8")));
    if (!success || !isOurs(data.file)) return undefined;
    unlinkSync(request);
    return data;
  } catch {
    return undefined;
  }
}
