// Which files a server may touch for somebody else: those below its roots, wherever links and `..` would lead.
import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { familySources } from "../language/loaded.ts";
import { validateWorkflow } from "../language/validate.ts";
import { realFiles } from "./files.ts";
import { Refused, refusal } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { showRun } from "./runs.ts";

export interface Allowed {
  /** Absolute, as it was asked for. */
  readonly file: string;
  /** The root that it is below: what paths in results are relative to. */
  readonly root: string;
}

/** The file that `name` means: relative to a root, or absolute and below one. Refused when it is elsewhere. */
export function confine(name: string, roots: readonly string[]): Allowed {
  const candidates = roots.map((root) => ({ file: resolve(root, name), root }));
  const inside = candidates.filter(({ file, root }) => isBelow(file, root));
  const allowed = inside.find(({ file }) => existsSync(file)) ?? inside[0];
  if (!allowed) throw outside(name, roots);
  return allowed;
}

/** Also the files that it calls and takes in: whoever may run the one runs and reads the others. */
export function confineFamily(name: string, roots: readonly string[], env: Surroundings["env"]): Allowed {
  const allowed = confine(name, roots);
  const { workflow } = validateWorkflow(allowed.file, realFiles(env));
  const stray = [...(workflow ? familySources(workflow).keys() : [])].find(
    (file) => !roots.some((root) => isBelow(file, root)),
  );
  if (stray !== undefined) throw outside(stray, roots);
  return allowed;
}

/** A run may be driven on when its workflow could be started here. */
export async function confineRun(run: string, roots: readonly string[], surroundings: Surroundings): Promise<Allowed> {
  const shown = await showRun({ ...surroundings, run });
  if (shown.run_id === null || shown.file === null) throw new Refused(shown);
  return confineFamily(resolve(surroundings.cwd, shown.file), roots, surroundings.env);
}

const outside = (name: string, roots: readonly string[]): Refused =>
  refusal(`${name} is not below ${roots.join(" or ")}, and only workflow files there can be used`, {
    errorType: "OutsideRoot",
    hint: "Give a path relative to the root, or start the server with --root for the folder you want.",
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
