// `segno types`: declarations in TypeScript for workflow files, so that `segno.run("release.yaml")` knows its inputs, its
// output and the kinds of errors that can leave it. What is not certain is `unknown`.
import { dirname, relative, resolve } from "node:path";
import { type Head, head } from "../../base/results/index.ts";
import { endingKinds, errorFlow } from "../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { OutputField, Step } from "../../language/schema/index.ts";
import { isCodeFile } from "../../services/own-steps/definition.ts";
import { orRefusedAtOnce } from "../../services/refusals.ts";
import { shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import { ANY } from "../../steps/step-type.ts";

export interface TypesAnswer extends Head {
  /** The files that are declared, as they are named in the declarations. */
  readonly files: readonly string[];
  /** The text of the declarations; empty when a file is not valid. */
  readonly types: string;
}

export interface TypesRequest {
  readonly files: readonly string[];
  /** The file that the declarations are for; one in the working folder when left out. */
  readonly out?: string;
}

export const workflowTypes = (session: Session, request: TypesRequest): TypesAnswer =>
  orRefusedAtOnce(session, { files: [], types: "" }, () => {
    const out = resolve(session.cwd, request.out ?? "segno.d.ts");
    const declared = request.files.map((file) => {
      const path = resolve(session.cwd, file);
      const workflow = validWorkflow(path, session, { asChild: true });
      const type = moduleType(workflow, out) ?? typeOf(workflow);
      return [shownPath(path, session.cwd).replaceAll("\\", "/"), type] as const;
    });
    return { ...head(0), files: declared.map(([file]) => file), types: declarations(declared) };
  });

const declarations = (files: readonly (readonly [string, string])[]): string =>
  [
    "// Written by `segno types`. Do not edit: run it again when a workflow changes.",
    'import "segno";',
    "",
    'declare module "segno" {',
    "  interface Workflows {",
    ...files.map(([file, type]) => `    ${JSON.stringify(file)}: ${indented(type, "    ")};`),
    "  }",
    "}",
    "",
  ].join("\n");

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

/** Of a workflow in TypeScript the compiler knows more than the analysis: what its functions return. */
function moduleType({ file }: LoadedWorkflow, out: string): string | undefined {
  if (!isCodeFile(file) || !/ts$/.test(file)) return undefined;
  const path = relative(dirname(out), file).replaceAll("\\", "/");
  return `typeof import(${JSON.stringify(path.startsWith("../") ? path : `./${path}`)}).default`;
}

function typeOf(workflow: LoadedWorkflow): string {
  const kinds = [...endingKinds(workflow)].sort();
  const silent = errorFlow(workflow).unhandled.flatMap(({ kind, node_id }) => (kind === ANY ? [node_id] : []));
  const why =
    silent.length === 0
      ? ""
      : `/** Any kind, since these do not list theirs in \`raises\`: ${silent.join(", ")}. */\n  `;
  return fieldsType([
    ["inputs", inputsType(workflow)],
    ["output", outputType(workflow)],
    [`${why}errors`, kinds.length === 0 ? "never" : kinds.map(kindType).join(" | ")],
  ]);
}

/** Of a pattern all kinds that it takes. Beside a plain `string` editors would not offer the kinds that are known. */
function kindType(kind: string): string {
  if (kind === ANY) return "(string & {})";
  return kind.endsWith(".*") ? `\`${kind.slice(0, -1)}\${string}\`` : JSON.stringify(kind);
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const fieldsType = (fields: readonly (readonly [name: string, type: string])[]): string =>
  fields.length === 0
    ? "Record<string, never>"
    : `{\n${fields.map(([name, type]) => `  ${name}: ${indented(type, "  ")};`).join("\n")}\n}`;

function inputsType({ definition }: LoadedWorkflow): string {
  const { input } = definition.workflow;
  if (!input) return "Record<string, unknown>";
  return fieldsType(
    Object.entries(input).map(([name, field]) => {
      const isOptional = !field.required || field.default !== undefined;
      return [`${nameOf(name)}${isOptional ? "?" : ""}`, TYPES[field.type]];
    }),
  );
}

const TYPES: Readonly<Record<OutputField["type"], string>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  array: "readonly unknown[]",
  object: "Record<string, unknown>",
};

function fieldType({ type, items, properties, enum: values, required, nullable }: OutputField): string {
  const more = required && !nullable ? "" : " | null";
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ") + more;
  if (type === "array" && items) return `readonly ${grouped(fieldType(items))}[]${more}`;
  if (type === "object" && properties)
    return fieldsType(Object.entries(properties).map(([name, field]) => [nameOf(name), fieldType(field)])) + more;
  return TYPES[type] + more;
}

const grouped = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

/** Of the file's own end, and of each terminate step that ends it well: which of them a run comes to is not known. */
function outputType(workflow: LoadedWorkflow): string {
  const { agents, output } = workflow.definition;
  const terminated = agents.flatMap((step) =>
    step.type === "terminate" && step.status === "success" ? [terminatedType(step.output_template, workflow)] : [],
  );
  const endsItself = Object.keys(output).length > 0 || terminated.length === 0 || canReachEnd(workflow);
  const types = new Set([...(endsItself ? [ownOutputType(workflow)] : []), ...terminated]);
  return types.has("unknown") ? "unknown" : [...types].join(" | ");
}

const terminatedType = (template: Readonly<Record<string, unknown>> | undefined, workflow: LoadedWorkflow): string =>
  template === undefined
    ? "unknown"
    : fieldsType(Object.entries(template).map(([name, value]) => [nameOf(name), valueType(value, workflow)]));

/** A route leads there, or a node has none to another. */
function canReachEnd({ definition }: LoadedWorkflow): boolean {
  const { agents, parallel, for_each } = definition;
  const members = new Set(parallel.flatMap((group) => group.agents));
  const nodes = [
    ...agents.filter(({ name, type }) => type !== "terminate" && !members.has(name)),
    ...parallel,
    ...for_each,
  ];
  return (
    nodes.some((node) => !("routes" in node && node.routes?.some(({ to }) => to !== undefined))) ||
    routesOf({ definition }).some(({ to }) => to === "$end")
  );
}

function ownOutputType(workflow: LoadedWorkflow): string {
  const fields = knownOutput(workflow);
  if (!fields) return "unknown";
  return fieldsType(fields.map(({ name, type, isOptional }) => [`${nameOf(name)}${isOptional ? "?" : ""}`, type]));
}

/** Nothing when the file says nothing of it. What routes to the end lay over the file's own output is not known. */
export function knownOutput(
  workflow: LoadedWorkflow,
  above: Callers = [],
): readonly { readonly name: string; readonly type: string; readonly isOptional: boolean }[] | undefined {
  const own = Object.entries(workflow.definition.output);
  if (own.length === 0) return undefined;
  const laidOver = new Set(routesOf(workflow).flatMap(({ output = {} }) => Object.keys(output)));
  const names = new Set(own.map(([name]) => name));
  const added = [...laidOver].filter((name) => !names.has(name));
  return [
    ...own.map(([name, value]) => {
      const type = laidOver.has(name) ? "unknown" : valueType(value, workflow, above);
      return { name, type, isOptional: false };
    }),
    ...added.map((name) => ({ name, type: "unknown", isOptional: true })),
  ];
}

function routesOf({ definition }: Pick<LoadedWorkflow, "definition">) {
  const nodes = [...definition.agents, ...definition.parallel, ...definition.for_each];
  return [
    ...(definition.workflow.error_routes ?? []),
    ...nodes.flatMap((node) => ("routes" in node ? (node.routes ?? []) : [])),
  ];
}

const REFERENCE = /^\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\s*\}\}$/;

/** A template that only refers to a value gives that value; of any other what it prints is read again. */
function valueType(value: unknown, workflow: LoadedWorkflow, above: Callers = []): string {
  if (typeof value === "number" || typeof value === "boolean") return typeof value;
  if (typeof value !== "string") return "unknown";
  const [, path] = REFERENCE.exec(value.trim()) ?? [];
  if (path === undefined) return "unknown";
  const [first = "", second, name = "", ...rest] = path.split(".");
  if (first === "workflow" && second === "input" && rest.length === 0) {
    const field = workflow.definition.workflow.input?.[name];
    if (field) return field.required || field.default !== undefined ? TYPES[field.type] : `${TYPES[field.type]} | null`;
  }
  const step = second === "output" ? workflow.definition.agents.find((one) => one.name === first) : undefined;
  if (!step) return "unknown";
  const type = stepType(step, [name, ...rest]);
  return type === "unknown" && rest.length === 0 ? childType(step, name, [...above, workflow]) : type;
}

/** The files that led to one, outermost first: files may call one another in circles. */
type Callers = readonly LoadedWorkflow[];

/** A field of what the file that a step calls gives; not known of one that a terminate step can end well. */
function childType(step: Step, name: string, callers: Callers): string {
  const child = step.type === "workflow" ? callers.at(-1)?.children.get(step.workflow) : undefined;
  if (!child || callers.includes(child) || child.definition.agents.some(endsWell)) return "unknown";
  const found = knownOutput(child, callers)?.find((field) => field.name === name);
  return found && !found.isOptional ? found.type : "unknown";
}

const endsWell = (step: Step): boolean => step.type === "terminate" && step.status === "success";

/** Fields that every step of a type has. */
const ALWAYS: Readonly<Record<string, string>> = {
  "http.status": "number",
  "wait.waited_seconds": "number",
  "human_gate.selected": "string",
  "script.exit_code": "number",
};

function stepType(step: Step, [name = "", ...rest]: readonly string[]): string {
  const fields = "output" in step ? (step.output as Readonly<Record<string, OutputField>> | undefined) : undefined;
  let field = fields?.[name];
  if (!field) return (rest.length === 0 && ALWAYS[`${step.type}.${name}`]) || "unknown";
  for (const part of rest) {
    field = field.type === "object" ? field.properties?.[part] : undefined;
    if (!field) return "unknown";
  }
  return fieldType(field);
}
