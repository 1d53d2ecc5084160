// The workflow files below some folders: what can be run here.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { findingEntries, type Head, head } from "../../base/results/index.ts";
import { loadWorkflow } from "../../language/load.ts";
import type { LoadWorld } from "../../language/loaded.ts";
import { type Validation, validateWorkflow } from "../../language/validate.ts";
import { knownFor } from "../project/people-of-run.ts";
import { mayBeWorkflow } from "../project/workflow-file.ts";
import { confinedFiles } from "../runs/roots.ts";
import { environmentRedactor } from "../session/exit.ts";
import { knownTo } from "../session/extensions.ts";
import { shownPath } from "../session/files.ts";
import { readRegularFile } from "../session/path-inside.ts";
import type { Session } from "../session/session.ts";

export interface WorkflowSummary {
  /** Relative to its root: what `run` takes. */
  readonly file: string;
  readonly root: string;
  readonly workflow: string | null;
  readonly description: string | null;
  readonly inputs: readonly string[];
  /** Only where that was asked for; null: it is valid. */
  readonly invalid?: InvalidFile | null;
}

export interface InvalidFile {
  readonly errors: number;
  /** The first of them: a sentence, and where. The file may be one that this one calls. */
  readonly message: string;
  readonly file: string;
  readonly line: number;
}

export interface WorkflowsAnswer extends Head {
  readonly workflows: readonly WorkflowSummary[];
  /** There are more files than are listed. */
  readonly truncated: boolean;
}

const MOST_WORKFLOWS = 200;
const MOST_FOLDERS = 5000;
const LARGEST_BYTES = 1024 * 1024;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "target", "vendor"]);

interface WorkflowsRequest {
  readonly roots: readonly string[];
  /** Whether each file is valid is wanted, too; here is what was found before. */
  readonly checked?: CheckedFiles<WorkflowSummary>;
}

export function listWorkflows(session: Session, wanted: WorkflowsRequest) {
  const { env, project } = session;
  const { roots } = wanted;
  const workflows: WorkflowSummary[] = [];
  let truncated = false;
  for (const root of roots)
    for (const file of yamlFiles(root)) {
      if (workflows.length >= MOST_WORKFLOWS) {
        truncated = true;
        break;
      }
      if (mayBeWorkflow(file, root, session) && looksLikeWorkflow(file) && (project?.offers?.(file) ?? true))
        workflows.push(summaryOf(file, root, confinedFiles(roots, session), session, wanted));
    }
  const answer = { ...head(0), workflows, truncated } satisfies WorkflowsAnswer;
  return environmentRedactor(env).answer(answer, { keys: "author" });
}

/** Nearest folders first, names in order; folders that hold other people's files are left out. */
export function* yamlFiles(root: string): Iterable<string> {
  const folders = [root];
  for (let seen = 0; seen < folders.length && seen < MOST_FOLDERS; seen++) {
    const folder = folders[seen] ?? root;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) folders.push(path);
      else if (/\.ya?ml$/.test(entry.name) && !/\.scenario\.ya?ml$/.test(entry.name)) yield path;
    }
  }
}

/** A folder that cannot be read has nothing to offer. */
const entriesOf = (folder: string) =>
  unlessItThrows(() => readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)), []);

export function looksLikeWorkflow(file: string): boolean {
  try {
    if (statSync(file).size > LARGEST_BYTES) return false;
    const text = readRegularFile(file).toString("utf8");
    return /^["']?workflow["']?\s*:/m.test(text) && /^["']?(agents|steps|parallel|for_each)["']?\s*:/m.test(text);
  } catch {
    return false;
  }
}

function summaryOf(
  file: string,
  root: string,
  files: LoadWorld,
  session: Session,
  wanted: WorkflowsRequest,
): WorkflowSummary {
  const { checked } = wanted;
  if (!checked) return shown(loadWorkflow(file, files, knownTo(session.extensions)), file, root);
  return checked.of(file, files, (noted) => {
    const found = validateWorkflow(file, noted, knownFor(file, session));
    return { ...shown(found, file, root), invalid: invalidIn(found.findings, root) };
  });
}

function shown({ workflow }: Pick<Validation, "workflow">, file: string, root: string): WorkflowSummary {
  const section = workflow?.definition.workflow;
  return {
    file: shownPath(file, root),
    root,
    workflow: section?.name || null,
    description: section?.description ?? null,
    inputs: Object.keys(section?.input ?? {}),
  };
}

function invalidIn(findings: Validation["findings"], root: string): InvalidFile | null {
  const { errors } = findingEntries(findings, { path: (path) => shownPath(path, root) });
  const [first] = errors;
  if (!first) return null;
  const { file = "", line = 1 } = first.location ?? {};
  return { errors: errors.length, message: first.message, file, line };
}

/** By path: how each file or folder was that was looked at. */
type Looked = ReadonlyMap<string, string>;

/** What was found about files, until one changes: checking two hundred takes seconds, and a page asks often. */
export class CheckedFiles<Found> {
  readonly #known = new Map<string, { readonly looked: Looked; readonly found: Found }>();

  /** `check` reads through the files that it is given, so that all it looks at is known. */
  of(file: string, files: LoadWorld, check: (files: LoadWorld) => Found): Found {
    const known = this.#known.get(file);
    if (known && [...known.looked].every(([path, mark]) => markOf(path) === mark)) return known.found;
    const looked = new Map<string, string>();
    const found = check(noting(files, (path) => looked.set(path, markOf(path))));
    this.#known.set(file, { looked, found });
    return found;
  }
}

/** Noted before it is read: what changes meanwhile is looked at again. */
const noting = ({ env, list, ...files }: LoadWorld, note: (path: string) => void): LoadWorld => ({
  env,
  read(file) {
    note(file);
    return files.read(file);
  },
  exists(path) {
    note(path);
    return files.exists(path);
  },
  list:
    list &&
    ((folder) => {
      note(folder);
      return list(folder);
    }),
});

function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "";
}
