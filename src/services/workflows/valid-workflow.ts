// A workflow file that has no errors; one that has is refused with all that is wrong.
import { resolve } from "node:path";
import { loadWorkflow } from "../../language/load.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import type { ValidateOptions } from "../../language/validate.ts";
import { findingEntries } from "../../results/index.ts";
import { knownFor } from "../access/people-of-run.ts";
import { invalidWorkflow } from "../refusals.ts";
import type { Warned } from "../request.ts";
import { environmentRedactor } from "../secrets/environment-redactor.ts";
import { filesOf } from "../session/files.ts";
import { withDefaults } from "../session/runtime-defaults.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { checkAndKeep, keptCheck } from "./kept-check.ts";

interface ValidOptions extends ValidateOptions {
  /** The caller knows that no rule has anything against it: only its form is checked. */
  readonly isJudged?: boolean;
}

/** With the files that it calls. */
export function validWorkflow(
  file: string,
  session: Session,
  { isJudged = false, ...options }: ValidOptions = {},
  files: LoadWorld = filesOf(session),
  warned?: Warned,
): LoadedWorkflow {
  const { cwd, env } = session;
  const { defaults } = session.project ?? {};
  const path = resolve(cwd, file);
  const known = { ...knownFor(path, session), ...options };
  const { workflow, findings } =
    keptCheck(path, files, known) ?? (isJudged ? loadWorkflow(path, files, known) : checkAndKeep(path, files, known));
  if (!workflow || findings.some((finding) => finding.severity === "error")) throw invalidWorkflow(findings, path, cwd);
  if (warned && findings.length > 0)
    warned(
      findingEntries(findings, { path: (shown) => shownPath(shown, cwd), redactor: environmentRedactor(env) }).warnings,
    );
  return defaults ? withDefaults(workflow, defaults) : workflow;
}
