// Which files are ours, by their name and their top level. Every other YAML file is left alone.
import { basename } from "node:path";
import { opensAsWorkflow } from "../access/workflow-file.ts";
import { type OtherKind, otherKind } from "../workflows/other-files.ts";

export type FileKind = "workflow" | OtherKind;

/** GitLab's file has a `workflow:` of its own. */
const OTHERS: ReadonlySet<string> = new Set([".gitlab-ci.yml", ".gitlab-ci.yaml"]);

export function fileKind(path: string, text: string): FileKind | undefined {
  const other = otherKind(path);
  if (other) return other;
  const name = basename(path);
  if (!/\.ya?ml$/.test(name) || OTHERS.has(name)) return undefined;
  return hasWorkflow(text) ? "workflow" : undefined;
}

/**
 * By its lines: a key in the first column is one of the top level. Parsing megabytes of another tool's YAML at each key would
 * keep the editor waiting.
 */
function hasWorkflow(text: string): boolean {
  const isTooLarge = text.length > MOST_CHARACTERS;
  const key = /^\uFEFF?(?:workflow|"workflow"|'workflow')[ \t]*:[ \t]*([^\s#]?)/m.exec(
    isTooLarge ? text.slice(0, HEAD_CHARACTERS) : text,
  );
  if (!key) return !isTooLarge && /^\s*\{/.test(text) && opensAsWorkflow(text);
  // A text after the colon is some other tool's.
  return /^[{!&*]?$/.test(key[1] ?? "");
}

/** No workflow is larger: `validate` says so, and reads no further. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Where a larger file must say that it is one. */
const HEAD_CHARACTERS = 64 * 1024;
