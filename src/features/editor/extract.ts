// Moves steps into a sub-workflow of their own: what they read from outside becomes its inputs, what other steps read
// of them its output. Offered only where the meaning stays the same.
import { type FlowNode, gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import type { InputField } from "../../language/schema/index.ts";
import { yamlLibrary } from "../../language/tree.ts";
import { applied, type SourceText, type TextChange, YamlEdit } from "./text.ts";

/** `names` are steps of one list that stand one after the other. Gives the new file, beside the old one, and the old one, whole. */
export function extractSteps(
  workflow: LoadedWorkflow,
  text: SourceText,
  names: readonly string[],
  isFree: (fileName: string) => boolean,
) {
  const { nodes, reads, sites } = gatherFacts(workflow);
  const chosen = new Set(names);
  const key = workflow.pathOf(names[0] ?? "")[0];
  const paths = names.map((name) => workflow.pathOf(name));
  const isRow = paths.every(([section, index], at) => section === key && index === Number(paths[0]?.[1]) + at);
  const steps = names.map((name) => nodes.get(name));
  if (names.length === 0 || key === undefined || !isRow) return undefined;
  if (steps.some((one) => one?.kind !== "step" || one.groups.length > 0 || one.type === "terminate")) return undefined;

  const targets = targetsOf(workflow);
  const entries = new Set(targets.filter(({ from, to }) => chosen.has(to) && !chosen.has(from)).map(({ to }) => to));
  const exits = targets.filter(({ from, to }) => chosen.has(from) && !chosen.has(to));
  const [entry] = entries;
  const exit = exits[0]?.to ?? "$end";
  if (entries.size !== 1 || entry === undefined) return undefined;
  if (exits.some(({ to, isError }) => to !== exit || isError)) return undefined;
  // A step without a success route ends the workflow: inside the new file only that one.
  const ends = steps.some((one) => one !== undefined && !one.routes.some(({ on_error }) => on_error === undefined));
  if (ends && exit !== "$end" && steps.some((one) => one?.type !== "human_gate" && one?.routes.length === 0))
    return undefined;

  const call = freeName(`${entry}_steps`, (name) => !nodes.names.has(name));
  const fileName = `${freeName(`${entry}-steps`, (name) => isFree(`${name}.yaml`))}.yaml`;
  const inputs = new Map<string, string>();
  /** What is known of each input; an input of which nothing is known has none. */
  const declared = new Map<string, object>();
  const take = (name: string, value: string, field: object | undefined): void => {
    inputs.set(name, value);
    if (field) declared.set(name, field);
  };
  const outputs = new Set<string>();
  const inner: TextChange[] = exits.map(({ path }) => valueChange(workflow, text, path, exit, "$end"));
  const outer: TextChange[] = [];
  if (workflow.definition.workflow.entry_point === entry)
    outer.push(valueChange(workflow, text, ["workflow", "entry_point"], entry, call));
  for (const { from, to, path } of targets)
    if (to === entry && !chosen.has(from) && path[1] !== "entry_point")
      outer.push(valueChange(workflow, text, path, entry, call));

  for (const { site, path, line, column, inExpression } of reads.all) {
    const [root = "", part, ...rest] = path;
    const isInside = site.node !== null && chosen.has(site.node);
    const isOwn = chosen.has(String(root));
    const location = workflow.positions.inside(site.path, line, column);
    const start = text.offset({ line: location.line - 1, character: location.column - 1 });
    if (location.file !== workflow.file) return undefined;
    if (isInside && !isOwn) {
      if (root === "context" || (root === "error" && site.role !== "error route")) return undefined;
      if (root === "workflow") {
        if (part !== "input" || rest[0] === undefined) return undefined;
        const field = workflow.definition.workflow.input?.[rest[0]];
        take(String(rest[0]), `{{ workflow.input.${String(rest[0])} }}`, field && withoutDefault(field));
      } else if (nodes.names.has(String(root))) {
        const dotted = path.join(".");
        if (inExpression || part !== "output" || !text.text.startsWith(dotted, start)) return undefined;
        const name = [root, ...rest].join("_");
        take(name, `{{ ${dotted} }}`, outputField(nodes.get(String(root)), rest));
        inner.push({ start, end: start + dotted.length, newText: `workflow.input.${name}` });
      }
    } else if (!isInside && isOwn) {
      const written = `${root}.output`;
      if (inExpression || part !== "output" || !text.text.startsWith(written, start)) return undefined;
      outputs.add(String(root));
      outer.push({ start, end: start + written.length, newText: `${call}.output.${root}` });
    }
  }
  if (sites.length === 0 && reads.problems.length > 0) return undefined;

  const edit = new YamlEdit(text.text);
  const first = edit.node([...(paths[0] ?? [])]);
  const last = edit.node([...(paths.at(-1) ?? [])]);
  const list = edit.node([key]);
  if (!first?.range || !last || edit.isFlow(list)) return undefined;
  const lineStart = text.text.lastIndexOf("\n", first.range[0] - 1) + 1;
  const end = edit.endOf(last);
  const within = (change: TextChange): TextChange => ({
    ...change,
    start: change.start - lineStart,
    end: change.end - lineStart,
  });
  const moved = applied(text.text.slice(lineStart, end), inner.map(within));
  const indent = " ".repeat(edit.columnOf(list?.range?.[0] ?? 0));
  const { stringify } = yamlLibrary();
  const runtime = (workflow.raw as { readonly workflow?: { readonly runtime?: unknown } }).workflow?.runtime;
  // A file that declares some inputs takes no others: all of them, or none.
  const isDeclared = inputs.size > 0 && declared.size === inputs.size;
  const section = {
    workflow: {
      name: call,
      entry_point: entry,
      ...(isDeclared ? { input: Object.fromEntries(declared) } : {}),
      ...(runtime === undefined ? {} : { runtime }),
    },
  };
  const given = { output: Object.fromEntries([...outputs].map((name) => [name, `{{ ${name}.output }}`])) };
  const mapping = inputs.size === 0 ? "" : `\n${indent}  input_mapping: ${JSON.stringify(Object.fromEntries(inputs))}`;
  const calling = `${indent}- name: ${call}\n${indent}  type: workflow\n${indent}  workflow: ./${fileName}${mapping}\n${indent}  routes: [{ to: ${exit} }]`;
  return {
    fileName,
    child: `${stringify(section, { lineWidth: 0 })}${key}:\n${moved}\n${outputs.size > 0 ? stringify(given, { lineWidth: 0 }) : ""}`,
    parent: applied(text.text, [...outer, { start: lineStart, end, newText: calling }]),
  };
}

/** The value is always given, but null for what the parent was not given. */
const withoutDefault = ({ type, required, default: preset, description, secret }: InputField): object => ({
  type,
  ...(required || preset !== undefined ? {} : { required: false }),
  ...(description === undefined ? {} : { description }),
  ...(secret ? { secret } : {}),
});

/** The type of one field of a step's output, where it is known. */
function outputField(node: FlowNode | undefined, path: readonly (string | number)[]): object | undefined {
  const [field = ""] = path;
  if (path.length !== 1 || node?.kind !== "step") return undefined;
  const { step } = node;
  const { type, required, nullable } = ("output" in step ? step.output?.[field] : undefined) ?? {};
  if (type !== undefined) return { type, ...(required && !nullable ? {} : { required: false }) };
  if (step.type !== "script") return undefined;
  return field === "exit_code"
    ? { type: "number" }
    : /^std(?:out|err)$/.test(String(field))
      ? { type: "string" }
      : undefined;
}

interface Target {
  /** The step or group that leads there; the workflow's own are "". */
  readonly from: string;
  readonly to: string;
  readonly path: NodePath;
  readonly isError: boolean;
}

function targetsOf(workflow: LoadedWorkflow): readonly Target[] {
  const { nodes } = gatherFacts(workflow);
  const { entry_point, error_routes } = workflow.definition.workflow;
  const found: Target[] = [{ from: "", to: entry_point, path: ["workflow", "entry_point"], isError: false }];
  const routes = (from: string, list: typeof error_routes, path: NodePath): void =>
    list.forEach(({ to, on_error }, index) => {
      if (to !== undefined) found.push({ from, to, path: [...path, index, "to"], isError: on_error !== undefined });
    });
  routes("", error_routes, ["workflow", "error_routes"]);
  for (const node of nodes.all) {
    routes(node.name, [...node.routes], [...node.path, "routes"]);
    if (node.kind !== "step") continue;
    const { step, path } = node;
    if (step.type === "human_gate")
      step.options.forEach(({ route }, index) => {
        if (route !== undefined)
          found.push({ from: node.name, to: route, path: [...path, "options", index, "route"], isError: false });
      });
    if (step.type === "questions" && step.abort_route !== undefined)
      found.push({ from: node.name, to: step.abort_route, path: [...path, "abort_route"], isError: false });
  }
  return found;
}

function valueChange(
  { positions }: LoadedWorkflow,
  text: SourceText,
  path: NodePath,
  old: string,
  now: string,
): TextChange {
  const { line, column } = positions.inside(path, 1, 1);
  const start = text.offset({ line: line - 1, character: column - 1 });
  return { start, end: start + old.length, newText: now };
}

function freeName(name: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}_${number}`;
    if (isFree(tried)) return tried;
  }
}
