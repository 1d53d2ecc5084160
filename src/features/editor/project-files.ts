// The files of the workspace that are ours, and which of them name which. Found by walking the folders; a file is read again
// only when it has changed.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { opensAsWorkflow } from "../../services/project/workflow-file.ts";
import { type OtherKind, otherKind } from "../../services/workflows/validate.ts";

export interface ProjectFile {
  readonly path: string;
  readonly kind: FileKind;
  /** Absolute paths of the YAML files that it names. */
  readonly names: readonly string[];
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "target"]);
/** Beyond these a folder is no project of workflows, and walking it would keep the editor waiting. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 1024 * 1024;
const DEEPEST = 12;

export class ProjectFiles {
  readonly #roots = new Set<string>();
  readonly #known = new Map<string, { readonly mark: string; readonly file?: ProjectFile }>();
  readonly #open = new Map<string, { readonly text: string; readonly file?: ProjectFile }>();
  #found: readonly ProjectFile[] | undefined;

  addRoot(folder: string): void {
    const isCovered = [...this.#roots].some((root) => folder === root || folder.startsWith(`${root}/`));
    if (isCovered) return;
    this.#roots.add(folder);
    this.#found = undefined;
  }

  changed(): void {
    this.#found = undefined;
  }

  /** Those on disk, with the open ones as they are in the editor. */
  all(open: ReadonlyMap<string, string>): readonly ProjectFile[] {
    this.#found ??= this.#walk();
    for (const path of this.#open.keys()) if (!open.has(path)) this.#open.delete(path);
    const own = [...open].flatMap(([path, text]) => this.opened(path, text) ?? []);
    return [...this.#found.filter(({ path }) => !open.has(path)), ...own];
  }

  /** A text of the editor; looked at again only when it is another one. */
  opened(path: string, text: string): ProjectFile | undefined {
    const known = this.#open.get(path);
    if (known?.text === text) return known.file;
    const file = read(path, text);
    this.#open.set(path, { text, ...(file ? { file } : {}) });
    return file;
  }

  #walk(): readonly ProjectFile[] {
    const found: ProjectFile[] = [];
    let entries = 0;
    const seen = new Set<string>();
    const visit = (folder: string, depth: number): void => {
      for (const entry of entriesOf(folder)) {
        if (++entries > MOST_ENTRIES) return;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (depth < DEEPEST && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) visit(path, depth + 1);
        } else if (entry.isFile() && /\.ya?ml$/.test(entry.name)) {
          seen.add(path);
          const file = this.#file(path);
          if (file) found.push(file);
        }
      }
    };
    for (const root of this.#roots) visit(root, 0);
    for (const path of this.#known.keys()) if (!seen.has(path)) this.#known.delete(path);
    return found;
  }

  #file(path: string): ProjectFile | undefined {
    const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    const mark = `${mtimeMs} ${size}`;
    const known = this.#known.get(path);
    if (known?.mark === mark) return known.file;
    const file = size > MOST_BYTES ? undefined : read(path, textOf(path));
    this.#known.set(path, { mark, ...(file ? { file } : {}) });
    return file;
  }
}

const entriesOf = (folder: string) => unlessItThrows(() => readdirSync(folder, { withFileTypes: true }), []);

const textOf = (path: string): string => unlessItThrows(() => readFileSync(path, "utf8"), "");

function read(path: string, text: string): ProjectFile | undefined {
  const kind = fileKind(path, text);
  if (!kind) return undefined;
  const written = text.matchAll(/(?:^|[\s{,[])(?:workflow|extends|triggers|-)\s*:?\s*["']?([^\s"'#,{}[\]]+\.ya?ml)\b/g);
  return { path, kind, names: [...new Set([...written].map(([, name = ""]) => resolve(dirname(path), name)))] };
}

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

/** By its lines, a key in the first column being of the top level: parsing megabytes at each key is too slow. */
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
