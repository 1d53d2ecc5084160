// Files that a script step runs or names, as they were before an attempt (how a resume tells that one has changed), and files
// that an agent changed, as they are shown: read with care, since a journal may have been edited.
import type { AgentChanges, AgentDenial, AgentFileChange } from "../errors/index.ts";
import { isMapping } from "../errors/mapping.ts";

export interface FileDigest {
  /** Relative to the root workflow's folder, or absolute where it lies elsewhere; of `files:`, the pattern. */
  readonly path: string;
  readonly digest: string;
}

/** How the digest of a pattern of `files:` begins, with the number of files that it matched. */
export const PATTERN_MARK = "glob:";

/** Whether it is part of the step's hash. */
export const isOfHash = ({ digest }: FileDigest): boolean => digest.startsWith(PATTERN_MARK);

/** Whether it is a pattern that matched no file. */
export const matchesNothing = ({ digest }: FileDigest): boolean => digest.startsWith(`${PATTERN_MARK}0:`);

/** As they are shown: fifty files at most. */
export interface ListedChanges extends Omit<AgentChanges, "files"> {
  readonly files: readonly AgentFileChange[];
  /** How many files beyond those. */
  readonly more_files?: number;
}

const MOST_FILES = 50;
const CHANGES = ["added", "modified", "deleted"] as const;

/** What the end of an attempt records. */
interface Ended {
  readonly agent_type: string;
  readonly output?: unknown;
  readonly changes?: unknown;
}

/** What a resume knows of changes: runs of release 0.2 have them in the output of the agent. */
export function recalledChanges({ agent_type, output, changes }: Ended): AgentChanges | undefined {
  const within = agent_type === "agent" && isMapping(output) ? output.changes : undefined;
  return [changes, within].find(isChanges);
}

export function listedChanges({ changes }: Ended): ListedChanges | undefined {
  if (!isChanges(changes)) return undefined;
  const { files, added, removed, incomplete, denied } = changes;
  return {
    files: files.slice(0, MOST_FILES).map((file) => (typeof file === "string" ? byPath(file) : file)),
    ...(files.length > MOST_FILES ? { more_files: files.length - MOST_FILES } : {}),
    added,
    removed,
    ...(incomplete ? { incomplete } : {}),
    ...(denied && denied.length > 0 ? { denied } : {}),
  };
}

const byPath = (path: string): AgentFileChange => ({ path, change: "modified", added: null, removed: null });

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isChanges = (value: unknown): value is AgentChanges =>
  isMapping(value) &&
  Array.isArray(value.files) &&
  value.files.every((file) => typeof file === "string" || isFileChange(file)) &&
  isCount(value.added) &&
  isCount(value.removed) &&
  (value.incomplete === undefined || value.incomplete === true) &&
  (value.denied === undefined || (Array.isArray(value.denied) && value.denied.every(isDenial)));

const isDenial = (value: unknown): value is AgentDenial =>
  isMapping(value) && [value.what, value.by, value.at].every((one) => typeof one === "string");

const isFileChange = (value: unknown): value is AgentFileChange =>
  isMapping(value) &&
  typeof value.path === "string" &&
  CHANGES.some((one) => one === value.change) &&
  [value.added, value.removed].every((lines) => lines === null || isCount(lines));
