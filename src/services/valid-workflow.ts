// A workflow file that has no errors; one that has is refused with all that is wrong.
import { resolve } from "node:path";
import type { LoadedWorkflow, LoadWorld } from "../language/loaded.ts";
import { type ValidateOptions, validateWorkflow } from "../language/validate.ts";
import { findingEntries } from "../results/index.ts";
import { environmentRedactor } from "./environment-redactor.ts";
import { knownTo } from "./extensions.ts";
import { realFiles } from "./files.ts";
import { knownPeople } from "./people.ts";
import { invalidWorkflow } from "./refusals.ts";
import type { Surroundings, Warned } from "./request.ts";
import { withDefaults } from "./runtime-defaults.ts";
import { shownPath } from "./shown-path.ts";

/** With the files that it calls. */
export function validWorkflow(
  file: string,
  { cwd, env, extensions, defaults, people }: Surroundings,
  options: ValidateOptions = {},
  files: LoadWorld = realFiles(env),
  warned?: Warned,
): LoadedWorkflow {
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, files, {
    ...knownTo(extensions),
    ...(people ? { people: knownPeople(people) } : {}),
    ...options,
  });
  if (!workflow || findings.some((finding) => finding.severity === "error")) throw invalidWorkflow(findings, path, cwd);
  if (warned && findings.length > 0)
    warned(
      findingEntries(findings, { path: (shown) => shownPath(shown, cwd), redactor: environmentRedactor(env) }).warnings,
    );
  return defaults ? withDefaults(workflow, defaults) : workflow;
}
