// What an agent step changed in its folder, as its output says. Read with care: an output may have a field of that name
// that is something else, and a journal may have been edited.
import { isMapping } from "../errors/mapping.ts";

export interface AgentFileChange {
  /** Relative to the agent's folder. */
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  /** Null where lines were not counted: a large file, or no text. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface AgentChanges {
  readonly files: readonly AgentFileChange[];
  readonly added: number;
  readonly removed: number;
  /** There were more files in the folder than are looked at. */
  readonly incomplete?: true;
}

/** As they are told: fifty files at most. */
export interface ListedChanges extends AgentChanges {
  /** How many files beyond those. */
  readonly more_files?: number;
}

const MOST_FILES = 50;
const CHANGES = ["added", "modified", "deleted"] as const;

export function changesIn(output: unknown): ListedChanges | null {
  const changes = isMapping(output) ? output.changes : undefined;
  if (!isMapping(changes) || !Array.isArray(changes.files)) return null;
  const { files, added, removed, incomplete } = changes;
  if (!isCount(added) || !isCount(removed) || !files.every(isFileChange)) return null;
  return {
    files: files.slice(0, MOST_FILES),
    ...(files.length > MOST_FILES ? { more_files: files.length - MOST_FILES } : {}),
    added,
    removed,
    ...(incomplete === true ? { incomplete } : {}),
  };
}

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isFileChange = (value: unknown): value is AgentFileChange =>
  isMapping(value) &&
  typeof value.path === "string" &&
  CHANGES.some((one) => one === value.change) &&
  [value.added, value.removed].every((lines) => lines === null || isCount(lines));
