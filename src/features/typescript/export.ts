// `segno export`: a workflow that is defined in code, as the workflow files that say the same.
import { basename, dirname, join, resolve } from "node:path";
import type { Mapping } from "../../base/errors/mapping.ts";
import { type Head, head } from "../../base/results/index.ts";
import { loadWorkflow } from "../../language/load.ts";
import { type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { FUNCTION, isCodeFile } from "../../services/own-steps/definition.ts";
import { withChildren, yamlText } from "../../services/project/defined-files.ts";
import { withDefinition } from "../../services/project/with-definition.ts";
import { invalidWorkflow, orRefused, refusal } from "../../services/refusals.ts";
import { knownTo } from "../../services/session/extensions.ts";
import { filesOf, shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";

export interface ExportAnswer extends Head {
  /** The text of each file; the workflow's own first, its sub-workflows beside it. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
}

export interface ExportRequest {
  readonly file: string;
  /** The file that it is for; `release.yaml` for `release.workflow.ts` when left out. */
  readonly out?: string;
}

export const exportWorkflow = (session: Session, asked: ExportRequest): Promise<ExportAnswer> =>
  orRefused(session, { files: [] }, async () => ({ ...head(0), files: await filesIn(session, asked) }));

async function filesIn(given: Session, { file, out: to }: ExportRequest): Promise<ExportAnswer["files"]> {
  const { cwd } = given;
  const path = resolve(cwd, file);
  if (!isCodeFile(path))
    throw refusal(
      `${file} is no workflow that is code: those end in .workflow.ts, .workflow.mts, .workflow.js or .mjs`,
    );
  const session = await withDefinition(given, path);
  const { workflow, findings } = loadWorkflow(path, filesOf(session), knownTo(session.extensions));
  if (!workflow) throw invalidWorkflow(findings, path, cwd);
  const family = definedIn(workflow, path);
  const functions = family.flatMap((one) => functionsIn(one, path));
  if (functions.length > 0)
    throw refusal(
      `${shownPath(path, cwd)} cannot be said in YAML: ${functions.join(", ")} ${functions.length === 1 ? "is a function" : "are functions"} of it`,
      { hint: "Make a script, http or set step of each, or keep the workflow in code." },
    );
  const out = resolve(cwd, to ?? path.replace(/\.workflow\.m?[jt]s$/, ".yaml"));
  return family.map((one) => ({
    file: shownPath(one.file === path ? out : join(dirname(out), `${childName(one.file, path)}.yaml`), cwd),
    text: yamlText(withChildren(byName(one.raw as Mapping, basename(path)), (child) => `${child}.yaml`)),
  }));
}

const childName = (file: string, path: string): string => file.slice(path.length + 1);

/** A workflow and those that it calls, as far as they are definitions of the same file. */
function definedIn(workflow: LoadedWorkflow, path: string, found: LoadedWorkflow[] = []): readonly LoadedWorkflow[] {
  if (found.includes(workflow) || workflow.file.split("#")[0] !== path) return found;
  found.push(workflow);
  for (const child of workflow.children.values()) definedIn(child, path, found);
  return found;
}

/** The steps of it that are functions, as a person knows them. */
function functionsIn({ definition, file }: LoadedWorkflow, path: string): readonly string[] {
  const where = file === path ? "" : ` of ${childName(file, path)}`;
  return stepsOf(definition)
    .filter(({ type }) => (type as string) === FUNCTION)
    .map(({ name }) => `${name}${where}`);
}

/** The document with its sub-workflows by their names alone, as its definition has them. */
function byName(document: Mapping, file: string): Mapping {
  const call = `./${file}#`;
  return JSON.parse(JSON.stringify(document), (key, value) =>
    key === "workflow" && typeof value === "string" && value.startsWith(call) ? value.slice(call.length - 1) : value,
  ) as Mapping;
}
