// The files that an attempt of a script ran or named, as its events tell: those that it changed itself are not among them.
import type { FileDigest } from "../../events/file-digest.ts";
import type { EventData, EventType } from "../../events/registry.ts";
import type { Recorded } from "../../events/visits/recall.ts";
import type { Engine, Visit } from "../frame.ts";

export class AttemptFiles {
  #files: readonly FileDigest[] = [];

  hear(type: EventType, data: unknown): void {
    if (type === "script_started") this.#files = (data as EventData<"script_started">).files ?? [];
    if (type !== "script_completed" && type !== "script_failed") return;
    const { changed_files = [] } = data as EventData<"script_completed" | "script_failed">;
    this.#files = this.#files.filter(({ path }) => !changed_files.includes(path));
  }

  get all(): readonly FileDigest[] {
    return this.#files;
  }
}

/**
 * Files that a recorded attempt ran or named, and that are not as they were. They do not decide whether a step is the same:
 * one script often serves many steps, and finished work must not be repeated by surprise. What is in `files:` does, as part
 * of the hash.
 */
export const changedFiles = (
  { world, rootDir }: Pick<Engine, "world" | "rootDir">,
  recorded: Pick<Recorded, "files"> | undefined,
): readonly string[] => (recorded?.files ? (world.files?.changed(recorded.files, rootDir) ?? []) : []);

/** The same of a visit that is reused whole: of a container, what was recorded inside it. */
export function changedFilesOf({ frame: { engine }, work, key }: Visit, recorded: Recorded): readonly string[] {
  if (!work.isContainer) return changedFiles(engine, recorded);
  const inside = engine.durable.recall.filesInside(key);
  return [...new Set(changedFiles(engine, { files: inside }))];
}
