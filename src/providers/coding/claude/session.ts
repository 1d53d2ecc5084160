// What Claude keeps of a session: `projects/FOLDER/ID.jsonl`, in which every line that was said names the one before it.
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import type { CodingTask } from "../agent.ts";
import { type SessionLine, tellsTask } from "../session-file.ts";

export async function hasSession(home: string, id: string): Promise<boolean> {
  const projects = join(home, "projects");
  const folders = await readdir(projects).catch(() => []);
  const file = folders.map((folder) => join(projects, folder, `${id}.jsonl`)).find((one) => existsSync(one));
  return file !== undefined && (await tellsTask(file, beginsWell()));
}

/** A file that begins in the middle was written by a process that went on when the folder was gone. */
function beginsWell(): (line: SessionLine) => "task" | "damaged" | "go on" {
  let hasBegun = false;
  return (line) => {
    if (!("parentUuid" in line)) return "go on";
    if (!hasBegun && line.parentUuid !== null) return "damaged";
    hasBegun = true;
    return line.type === "user" ? "task" : "go on";
  };
}

/** Claude does not take the file that it was to go on with. */
export function isUnknownSession({ session }: CodingTask, said: unknown): boolean {
  const text =
    said instanceof Error ? said.message : Array.isArray(said) || isMapping(said) ? JSON.stringify(said) : "";
  return !session.isNew && /No conversation found/i.test(text);
}
