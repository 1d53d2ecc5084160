// Which files a server may touch for somebody else: those below its roots, wherever links and `..` would lead.
import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { familySources } from "../language/loaded.ts";
import { validateWorkflow } from "../language/validate.ts";
import type { Result } from "../results/result.ts";
import { realFiles } from "./files.ts";
import { refused } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { showRun } from "./runs.ts";

export interface Allowed {
  /** Absolute, as it was asked for. */
  readonly file: string;
  /** The root that it is below: where results are told from. */
  readonly root: string;
}

export type Confined = { readonly ok: true; readonly at: Allowed } | { readonly ok: false; readonly result: Result };

/** The file that `name` means: relative to a root, or absolute and below one. */
export function confine(name: string, roots: readonly string[]): Confined {
  const candidates = roots.map((root) => ({ file: resolve(root, name), root }));
  const inside = candidates.filter(({ file, root }) => isBelow(file, root));
  const at = inside.find(({ file }) => existsSync(file)) ?? inside[0];
  if (at) return { ok: true, at };
  return outside(name, roots);
}

/** Also the files that it calls and takes in: whoever may run the one runs and reads the others. */
export function confineFamily(name: string, roots: readonly string[], env: Surroundings["env"]): Confined {
  const confined = confine(name, roots);
  if (!confined.ok) return confined;
  const { workflow } = validateWorkflow(confined.at.file, realFiles(env));
  const stray = [...(workflow ? familySources(workflow).keys() : [])].find(
    (file) => !roots.some((root) => isBelow(file, root)),
  );
  return stray === undefined ? confined : outside(stray, roots);
}

/** A run may be driven on when its workflow could be started here. */
export function confineRun(run: string, roots: readonly string[], surroundings: Surroundings): Confined {
  const shown = showRun({ ...surroundings, run });
  if (shown.run_id === null || shown.file === null) return { ok: false, result: shown };
  return confineFamily(resolve(surroundings.cwd, shown.file), roots, surroundings.env);
}

const outside = (name: string, roots: readonly string[]): Confined => ({
  ok: false,
  result: refused(`${name} is not below ${roots.join(" or ")}, and only workflow files there can be used`, {
    errorType: "OutsideRoot",
    hint: "Give a path relative to the root, or start the server with --root for the folder you want.",
  }),
});

/** Both ends with links followed. A file that does not exist yet counts by the nearest folder that does. */
export function isBelow(file: string, root: string): boolean {
  const way = relative(real(root), real(file));
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = resolve(path, "..");
    return parent === path ? path : resolve(real(parent), relative(parent, path));
  }
}
