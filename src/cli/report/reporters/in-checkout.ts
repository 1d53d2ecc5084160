// Paths as a service sees them that knows the checkout and not where in it a command was called: GitHub's annotations and
// code scanning take every path for one from the top.
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { ReportedCheck } from "./check.ts";

export interface Called {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** As they are where nobody says what the top is, and for files outside of it. */
export function inCheckout(checks: readonly ReportedCheck[], { cwd, env }: Called): readonly ReportedCheck[] {
  const top = env.GITHUB_WORKSPACE;
  if (!top || !isAbsolute(top)) return checks;
  const fromTop = (file: string): string => {
    const path = relative(top, resolve(cwd, file));
    return path === "" || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path;
  };
  return checks.map((check) => ({
    ...check,
    notes: check.notes.map((note) =>
      note.place ? { ...note, place: { ...note.place, file: fromTop(note.place.file) } } : note,
    ),
  }));
}
