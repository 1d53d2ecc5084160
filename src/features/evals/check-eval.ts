// An eval with all that it names: the workflow in each variant, the scenario, the rows, the graders. What is wrong with any of
// them is a finding at its place; `segno validate` lists them, and `segno eval` refuses the file.
import { statSync } from "node:fs";
import * as z from "zod";
import { isEngineKind, KINDS } from "../../base/errors/kinds.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { nearest } from "../../base/errors/nearest.ts";
import { isSelectorWord, matches } from "../../base/errors/selector.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { gatherFacts, missIn, resultShape } from "../../language/analysis/index.ts";
import type { Finding, LoadedWorkflow, LoadWorld, NodePath } from "../../language/loaded.ts";
import { PROVIDERS } from "../../language/schema/names.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { prepareInputs } from "../../services/drive/given-inputs.ts";
import { knownFor } from "../../services/project/people-of-run.ts";
import { Refused } from "../../services/refusals.ts";
import { filesOf } from "../../services/session/files.ts";
import { programName } from "../../services/session/program-name.ts";
import type { Session } from "../../services/session/session.ts";
import { withDefaults } from "../../services/workflows/valid-workflow.ts";
import { object, onlyFields, type Shape, UNKNOWN } from "../../steps/step-type.ts";
import { references } from "../../template/index.ts";
import { type LoadedScenario, loadScenario, ScenarioError } from "../scenarios/file.ts";
import { editedFiles, unknownNames, wrongEdits } from "../scenarios/workflow-of-scenario.ts";
import { type PlacedRow, readDataset } from "./dataset.ts";
import { beside, type EvalSpec, evalFinding, type GradeSpec, readEvalFile, rowsFrom } from "./eval-file.ts";
import { allSteps } from "./live-steps.ts";

export interface CheckedEval {
  readonly file: string;
  /** The eval file and its dataset, as they are. */
  readonly texts: readonly string[];
  readonly spec: EvalSpec;
  readonly workflow: LoadedWorkflow;
  /** The workflow as each variant has it. */
  readonly variants: ReadonlyMap<string, LoadedWorkflow>;
  readonly scenario?: LoadedScenario;
  /** None where rows are past runs. */
  readonly rows?: readonly PlacedRow[];
  /** JSON Schemas by the grade that names them. */
  readonly schemas: ReadonlyMap<GradeSpec, z.ZodType>;
}

export function checkEval(
  path: string,
  session: Session,
): { readonly checked?: CheckedEval; readonly findings: readonly Finding[] } {
  const files = filesOf(session);
  const read = readEvalFile(path, files);
  const { spec } = read;
  if (!spec) return { findings: read.findings };
  const findings: Finding[] = [];
  const report: Report = (message, at, suggestions = [], part) =>
    void findings.push(evalFinding(message, read.at(at, part), suggestions));
  const checking: Checking = { file: path, spec, session, files, report };
  const variants = new Map<string, LoadedWorkflow>();
  const workflow = workflowOf(checking, variants);
  if (!workflow) return { findings };
  const names = [...new Set(allSteps(workflow).map(({ step }) => step.name))];
  const requireStep = (name: string, at: NodePath): void => {
    const [, before = "", last = ""] = /^(.*\/)?(.*)$/s.exec(name) ?? [];
    const right = nearest(last, names).map((one) => before + one);
    if (!names.includes(last)) report(`No step is called ${name}.`, at, right);
  };
  for (const [index, name] of spec.live.entries()) requireStep(name, ["live", index]);
  for (const [index, one] of spec.grade.entries())
    for (const [number, name] of (one.trace ?? []).entries()) requireStep(name, ["grade", index, "trace", number]);
  const scenario = scenarioOf(checking, workflow);
  const schemas = gradesOf(checking, workflow);
  const from = rowsFrom(spec);
  const dataset = "file" in from ? readDataset(beside(path, from.file), read.at(["dataset"]), files.read) : undefined;
  findings.push(...(dataset?.findings ?? []));
  for (const row of dataset?.rows ?? []) findings.push(...inputFindings(row, workflow, session));
  if (findings.length > 0) return { findings };
  const texts = [
    read.text,
    ...("file" in from ? [Buffer.from(files.read(beside(path, from.file))).toString("utf8")] : []),
  ];
  return { checked: { file: path, texts, spec, workflow, variants, schemas, scenario, rows: dataset?.rows }, findings };
}

interface Checking extends Pick<CheckedEval, "file" | "spec"> {
  readonly session: Session;
  readonly files: LoadWorld;
  readonly report: Report;
}

/** The workflow as it is; each variant of it must be valid too, and is added to `edited`. */
function workflowOf(
  { file, spec, session, files, report }: Checking,
  edited: Map<string, LoadedWorkflow>,
): LoadedWorkflow | undefined {
  const { defaults } = session.project ?? {};
  const whole = (one: LoadedWorkflow): LoadedWorkflow => (defaults ? withDefaults(one, defaults) : one);
  const { workflow: named, step, variants } = spec;
  const path = beside(file, named);
  const known = { ...knownFor(path, session), asChild: true };
  const { workflow, findings } = validateWorkflow(path, files, known);
  const errors = findings.filter(({ severity }) => severity === "error");
  const [error] = errors;
  if (error)
    report(
      `The workflow ${named} is not valid, at line ${error.location.line}: ${error.message}${errors.length > 1 ? ` (and ${errors.length - 1} more; ${programName(session.env)} validate lists them)` : ""}`,
      ["workflow"],
    );
  if (!workflow || error) return undefined;
  const text = workflow.sources.get(path) ?? "";
  for (const { message, suggestions } of wrongEdits(text, { until: step })) report(message, ["step"], suggestions);
  for (const [index, { name, set }] of variants.entries()) {
    const edits = wrongEdits(text, { set });
    for (const { path: at = "", message, suggestions } of edits)
      report(message, ["variants", index, "set", at], suggestions, "key");
    if (edits.length > 0 || Object.keys(set).length === 0) continue;
    const variant = validateWorkflow(path, editedFiles(files, path, { set }), known);
    if (variant.workflow) edited.set(name, whole(variant.workflow));
    // A file is only warned of an option without effect; a variant with one would be measured as if it were another.
    const [problem] = variant.findings.filter(
      ({ severity, rule, message }) =>
        severity === "error" || (rule === "unsupported-option" && !findings.some((one) => one.message === message)),
    );
    if (problem) report(`With this variant the workflow is not valid: ${problem.message}`, ["variants", index, "set"]);
  }
  return whole(workflow);
}

function scenarioOf(
  { file, spec: { scenario: named }, session, files, report }: Checking,
  workflow: LoadedWorkflow,
): LoadedScenario | undefined {
  if (named === undefined) return undefined;
  try {
    const loaded = loadScenario(beside(file, named), session.cwd, files);
    if (loaded.workflow !== workflow.file) report(`The scenario ${named} is of another workflow.`, ["scenario"]);
    for (const { message, place } of unknownNames(loaded, workflow))
      report(`${place ? `${place.file}:${place.line}:${place.column} ` : ""}${message}`, ["scenario"]);
    return loaded;
  } catch (problem) {
    if (!(problem instanceof ScenarioError)) throw problem;
    report(problem.message, ["scenario"]);
    return undefined;
  }
}

function gradesOf(
  { file, spec: { grade: grades, step }, session, files, report }: Checking,
  workflow: LoadedWorkflow,
): ReadonlyMap<GradeSpec, z.ZodType> {
  const schemas = new Map<GradeSpec, z.ZodType>();
  const shape = gradedShape(workflow, step);
  const providers = [
    ...PROVIDERS.filter((one) => one !== "scripted"),
    ...Object.keys(session.extensions?.providers ?? {}),
  ];
  for (const [index, grade] of grades.entries()) {
    const at = (...path: NodePath): NodePath => ["grade", index, ...path];
    for (const [field, value] of Object.entries(grade)) checkTemplates(value, at(field), shape, report);
    for (const word of grade.no_errors === undefined || grade.no_errors === true ? [] : [grade.no_errors].flat())
      if (!isSelectorWord(word))
        report(`${word} is no kind: write provider.rejected, provider.* or *.`, at("no_errors"));
      else if (isEngineKind(word) && ![...KINDS.keys()].some((kind) => matches(word, kind)))
        report(
          `There is no kind ${word}, so no run could fail this grade.`,
          at("no_errors"),
          nearest(word, KINDS.keys()),
        );
    if (grade.provider !== undefined && !providers.includes(grade.provider))
      report(
        `There is no provider ${grade.provider}; Segno knows ${providers.join(", ")}.`,
        at("provider"),
        nearest(grade.provider, providers),
      );
    if (grade.schema !== undefined) {
      const schema = schemaOf(grade.schema, file, files);
      if (typeof schema === "string") report(schema, at("schema"));
      else schemas.set(grade, schema);
    }
    const own = Object.keys(session.extensions?.graders ?? {});
    if (grade.grader !== undefined && !own.includes(grade.grader))
      report(
        `There is no grader ${grade.grader}${own.length === 0 ? ": a plugin of segno.yaml brings one, made with defineGrader" : ""}.`,
        at("grader"),
        nearest(grade.grader, own),
      );
    if (grade.script !== undefined && !statSync(beside(file, grade.script), { throwIfNoEntry: false })?.isFile())
      report(`There is no file ${grade.script} beside the eval.`, at("script"));
  }
  return schemas;
}

function schemaOf(
  given: string | Readonly<Record<string, unknown>>,
  file: string,
  { read }: LoadWorld,
): z.ZodType | string {
  try {
    const schema =
      typeof given === "string" ? parseJson(Buffer.from(read(beside(file, given))).toString("utf8")) : given;
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (problem) {
    // What a parser says quotes the file, which may be any, also one that holds a secret.
    if (problem instanceof SyntaxError) return `The schema cannot be used: ${given} is no JSON.`;
    return `The schema cannot be used: ${(problem as Error).message}`;
  }
}

function inputFindings(row: PlacedRow, workflow: LoadedWorkflow, session: Session): readonly Finding[] {
  try {
    prepareInputs(workflow, givenInputs(row.inputs), session);
    return [];
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return problem.result.errors.map(({ message, suggestions = [] }) => ({
      ...evalFinding(`Row ${row.id}: ${message}`, row.place, suggestions),
      rule: "dataset",
    }));
  }
}

/** Text is read by the type that the workflow declares, as on the command line. */
export const givenInputs = (inputs: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, typeof value === "string" ? { text: value } : { value }]),
  );

type Report = (message: string, at: NodePath, suggestions?: readonly string[], part?: "key") => void;

/** What is known of the names that templates of grades have. `step`: the one that the eval is of. */
function gradedShape(workflow: LoadedWorkflow, step: string | undefined): Shape {
  const { input } = workflow.definition.workflow;
  const known: Readonly<Record<string, Shape>> = {
    inputs: input ? onlyFields(...Object.keys(input)) : UNKNOWN,
    expected: UNKNOWN,
    output: step === undefined ? resultShape(workflow) : gatherFacts(workflow).shape(step),
    row: onlyFields("id", "tags", "variant"),
    run: onlyFields("id", "status", "kind", "steps", "errors", "cost_usd", "duration_ms"),
  };
  return object(Object.entries(known), true);
}

function checkTemplates(value: unknown, at: NodePath, shape: Shape, report: Report): void {
  if (Array.isArray(value))
    for (const [index, one] of value.entries()) checkTemplates(one, [...at, index], shape, report);
  else if (isMapping(value))
    for (const [key, one] of Object.entries(value)) checkTemplates(one, [...at, key], shape, report);
  if (typeof value !== "string" || !value.includes("{")) return;
  try {
    for (const { path, guarded } of references(value)) {
      const miss = guarded && path.length > 1 ? undefined : missIn(shape, path);
      if (!miss) continue;
      const { missing, known, depth } = miss;
      const owner = path.slice(0, depth).join(".");
      const message =
        depth === 0
          ? `\`${missing}\` is not known here: a grade knows ${known.join(", ")}.`
          : `\`${owner}\` is not known to have \`${missing}\`. It has ${known.join(", ")}.`;
      report(message, at, nearest(missing, known));
    }
  } catch (problem) {
    report(`This template cannot be read: ${(problem as Error).message}`, at);
  }
}
