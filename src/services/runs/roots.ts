// Which files a server may touch for its clients: those below its roots, after links and `..` are resolved. And which
// runs it may show and drive on: those of such files.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { familySources, type LoadWorld } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { isWorkflowFile } from "../project/workflow-file.ts";
import { Refused, refusal, UnknownWorkflow } from "../refusals.ts";
import { policyCodeOf } from "../resilience/policy-code.ts";
import { knownTo } from "../session/extensions.ts";
import { realFiles } from "../session/files.ts";
import { isBelow, real } from "../session/path-inside.ts";
import type { Session } from "../session/session.ts";
import { namedRun, reading, withStore } from "../session/store.ts";
import { showRun } from "./runs.ts";

export interface Allowed {
  /** Absolute, as it was asked for. */
  readonly file: string;
  /** The root that it is below: what paths in results are relative to. */
  readonly root: string;
}

/** The workflow file that `name` means: relative to a root, or absolute and below one. Refused when it is elsewhere, or none. */
export function confine(name: string, roots: readonly string[], session: Session): Allowed {
  const allowed = below(name, roots);
  if (!isWorkflowFile(allowed, session)) throw new UnknownWorkflow(name, roots);
  return allowed;
}

/** A place below a root, for something that is to be written there. */
export const confinePlace = (name: string, roots: readonly string[]): string => below(name, roots).file;

function below(name: string, roots: readonly string[]): Allowed {
  const candidates = roots.map((root) => ({ file: resolve(root, name), root }));
  const inside = candidates.filter(({ file, root }) => isBelow(file, root));
  const allowed = inside.find(({ file }) => existsSync(file)) ?? inside[0];
  if (!allowed) throw outside(name, roots);
  return allowed;
}

/** Also the files that it calls and includes: a client that may use the one reads and runs the others. */
export const confineFamily = (name: string, roots: readonly string[], session: Session): Allowed =>
  withFamily(confine(name, roots, session), roots, session);

/** Own step types are known: what they call must not lead out either. */
function withFamily(allowed: Allowed, roots: readonly string[], session: Session): Allowed {
  const files = confinedFiles(roots, session);
  const { workflow } = validateWorkflow(allowed.file, files, knownTo(session.extensions));
  const stray =
    files.strays[0] ?? [...(workflow ? familySources(workflow).keys() : [])].find((file) => !isBelowAny(file, roots));
  if (stray !== undefined) throw outside(stray, roots);
  // Another process may drive it: then these files are among those that it is to find as they are.
  if (session.readsFrom?.snapshot) policyCodeOf(workflow, session.readsFrom.snapshot);
  return allowed;
}

/** The real files, without those elsewhere: not a word of them gets into a finding, nor whether they are there. */
export function confinedFiles(
  roots: readonly string[],
  { env, readsFrom }: Pick<Session, "env" | "readsFrom">,
): LoadWorld & { readonly strays: readonly string[] } {
  const files = realFiles(env, undefined, readsFrom?.snapshot);
  const strays: string[] = [];
  const isInside = (path: string): boolean =>
    isBelowAny(path, roots) || roots.some((root) => real(root) === real(path));
  return {
    ...files,
    exists(path) {
      if (isInside(path)) return files.exists(path);
      strays.push(path);
      return false;
    },
    read(file) {
      if (isBelowAny(file, roots)) return files.read(file);
      strays.push(file);
      throw Object.assign(new Error(`${file} is outside`), { code: "EACCES" });
    },
    list: (folder) => (isBelowAny(folder, roots) || roots.includes(folder) ? (files.list?.(folder) ?? []) : []),
    strays,
  };
}

/** A run may be driven on when its workflow could be started here. */
export async function confineRun(run: string, roots: readonly string[], session: Session): Promise<Allowed> {
  await requireRunBelow(run, roots, session);
  const shown = await showRun(session, { run });
  if (shown.run_id === null || shown.file === null) throw new Refused(shown);
  // Its name does not matter: a permitted user started it, and the file may be gone by now.
  return withFamily(below(resolve(session.cwd, shown.file), roots), roots, session);
}

/** A run may be shown when it began with a file below the roots. */
export const requireRunBelow = (run: string, roots: readonly string[], session: Session): Promise<void> =>
  withStore(session, async (store) => {
    const runId = await namedRun(store, session, { run }, (file) => isBelowAny(file, roots));
    return reading(store, runId, ({ meta }) => {
      // With the id as it was given: a client that may not see the run does not learn the rest of its id.
      if (!isBelowAny(meta.file, roots)) throw outsideRun(run, roots);
    });
  });

/** Of things that belong to runs, those whose runs may be shown. */
export const ofRunsBelow = <Item extends { readonly run_id: string }>(
  items: readonly Item[],
  roots: readonly string[],
  session: Session,
): Promise<readonly Item[]> =>
  withStore(session, async (store) => {
    const answers = new Map<string, boolean>();
    for (const { run_id } of items)
      if (!answers.has(run_id))
        answers.set(
          run_id,
          await reading(store, run_id, ({ meta }) => isBelowAny(meta.file, roots)).catch(() => false),
        );
    return items.filter(({ run_id }) => answers.get(run_id));
  });

const HINT = "Give a path relative to the root, or start the server with --root for the folder you want.";

const outside = (name: string, roots: readonly string[]): Refused =>
  refusal(`${name} is not below ${roots.join(" or ")}, and only workflow files there can be used`, {
    errorType: "OutsideRoot",
    hint: HINT,
  });

export const outsideRun = (run: string, roots: readonly string[]): Refused =>
  refusal(`the run ${run} is of a workflow that is not below ${roots.join(" or ")}`, {
    errorType: "OutsideRoot",
    hint: "Start the server with --root for the folder of that workflow.",
  });

const isBelowAny = (file: string, roots: readonly string[]): boolean => roots.some((root) => isBelow(file, root));
