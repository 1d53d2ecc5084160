// The files that an attempt of a script ran or named, as its events tell: those that it changed itself are not among them.
import type { FileDigest } from "../../events/file-digest.ts";
import type { EventData, EventType } from "../../events/registry.ts";

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
