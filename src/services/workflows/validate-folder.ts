// `segno validate FOLDER`: every workflow file below a folder, and for each whether it runs as it is, where it goes another
// way than in Conductor, or why it is refused.
import { resolve } from "node:path";
import { type Entry, findingEntries } from "../../base/results/index.ts";
import { familyOf } from "../../language/loaded.ts";
import type { FileDialect } from "../../language/schema/index.ts";
import { environmentRedactor } from "../session/exit.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { type ConductorDifference, differencesFromConductor } from "./conductor-differences.ts";
import {
  answerOfChecks,
  type CheckedFile,
  checkFile,
  isFolder,
  type ValidateAnswer,
  type ValidateRequest,
} from "./validate.ts";
import { looksLikeWorkflow, yamlFiles } from "./workflows.ts";

export interface FileVerdict {
  readonly file: string;
  readonly workflow: string | null;
  readonly dialect: FileDialect | null;
  readonly verdict: "runs" | "differs" | "refused";
  readonly differences: readonly ConductorDifference[];
  readonly refusals: readonly Refusal[];
}

interface Refusal {
  readonly line: number | null;
  readonly message: string;
  /** What to write in its place, where that is known. */
  readonly instead: string | null;
}

export interface ValidateFolderAnswer extends ValidateAnswer {
  readonly workflows: readonly FileVerdict[];
  /** YAML files below the folders that are no workflows. */
  readonly left_out: number;
}

/** `files` are folders, and files beside them. */
export function validateFolders(session: Session, request: ValidateRequest): ValidateFolderAnswer {
  const { cwd, env } = session;
  let leftOut = 0;
  const files: string[] = [];
  for (const given of request.files)
    if (!isFolder(cwd, given)) files.push(given);
    else
      for (const file of yamlFiles(resolve(cwd, given)))
        if (looksLikeWorkflow(file)) files.push(shownPath(file, cwd));
        else leftOut++;
  const checks = checkEach([...new Set(files)], session, request);
  const workflows = checks.map((check) => verdictOf(check, cwd, request));
  const answer = answerOfChecks(checks, session, request);
  return { ...answer, workflows: environmentRedactor(env).answer(workflows), left_out: leftOut };
}

/** What another file calls may propagate errors, so it is checked as a child. */
function checkEach(files: readonly string[], session: Session, request: ValidateRequest): readonly CheckedFile[] {
  const pathOf = (file: string): string => resolve(session.cwd, file);
  const checks = files.map((file) => ({ file, ...checkFile(pathOf(file), session, request) }));
  const called = new Set(
    checks.flatMap(({ file, workflow }) =>
      workflow ? familyOf(workflow).flatMap((member) => (member.file === pathOf(file) ? [] : [member.file])) : [],
    ),
  );
  return checks.map((check) =>
    called.has(pathOf(check.file))
      ? { ...check, ...checkFile(pathOf(check.file), session, { ...request, asChild: true }) }
      : check,
  );
}

function verdictOf({ file, findings, workflow }: CheckedFile, cwd: string, request: ValidateRequest): FileVerdict {
  const { errors, warnings } = findingEntries(findings, { path: (path) => shownPath(path, cwd) });
  const refusals = (request.strict ? [...errors, ...warnings] : errors).map(refusalOf);
  const differences = workflow ? differencesFromConductor(workflow, findings) : [];
  return {
    file,
    workflow: workflow?.definition.workflow.name || null,
    dialect: workflow?.dialect ?? null,
    verdict: refusals.length > 0 ? "refused" : differences.length > 0 ? "differs" : "runs",
    differences,
    refusals,
  };
}

const refusalOf = ({ location, message, suggestions }: Entry): Refusal => ({
  line: location?.line ?? null,
  message,
  instead: suggestions?.[0] ?? null,
});
