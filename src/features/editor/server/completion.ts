// What can be written at a place: fields, steps, kinds, files, inputs, and names inside templates.
import { dirname, relative, sep } from "node:path";
import { type CompletionItem, CompletionItemKind, type Position } from "vscode-languageserver/node";
import { isEngineKind, isKind, KINDS } from "../../../base/errors/index.ts";
import { gatherFacts } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow, NodePath } from "../../../language/loaded.ts";
import { filterSignatures } from "../../../template/filters/filters.ts";
import type { FileKind } from "../project-files.ts";
import { type CursorPlace, cursorAt, expressionAt, keysAt, plainAt } from "./cursor.ts";
import type { Desk } from "./desk.ts";
import { fieldsAt, wordsAt } from "./fields.ts";
import { TemplateScope } from "./scope.ts";

interface Option {
  readonly label: string;
  readonly about?: string;
  readonly kind: CompletionItemKind;
  /** Offered before those with a higher one. */
  readonly rank?: number;
  readonly insert?: string;
}

/** Short names of the files that may be named; more are no help in a list. */
const MOST_FILES = 500;

export async function complete(desk: Desk, path: string, position: Position): Promise<readonly CompletionItem[]> {
  const kind = desk.kindOf(path);
  if (!kind) return [];
  const text = desk.text(path);
  const offset = text.offset(position);
  const cursor = cursorAt(text.text, offset);
  if (!cursor) return [];
  const expression = kind === "workflow" ? expressionAt(cursor) : undefined;
  if (expression) {
    const start = offset - expression.prefix.length;
    const options = expression.isFilter
      ? filters()
      : await namesFor(desk, desk.workflow(path), cursor, expression.path);
    return items(options, (label) => ({ range: text.range(start, offset), newText: label }));
  }
  const after = text.text.slice(cursor.end);
  const options = cursor.part === "key" ? keys(desk, path, kind, cursor) : values(desk, path, kind, cursor);
  return items(options, (label, { insert }) => ({
    range: text.range(cursor.start, Math.max(cursor.end, offset)),
    newText: insert === undefined || /^\s*:/.test(after) ? label : insert,
  }));
}

function items(
  options: readonly Option[],
  edit: (label: string, option: Option) => NonNullable<CompletionItem["textEdit"]>,
): readonly CompletionItem[] {
  const seen = new Set<string>();
  return options.flatMap((option) => {
    const { label, about, kind, rank = 0 } = option;
    if (seen.has(label)) return [];
    seen.add(label);
    return {
      label,
      kind,
      sortText: `${rank}${String(seen.size).padStart(4, "0")}`,
      ...(about ? { documentation: { kind: "markdown" as const, value: about } } : {}),
      textEdit: edit(label, option),
    };
  });
}

const filters = (): readonly Option[] =>
  [...filterSignatures()].map(([label, signature]) => {
    return { label, about: `\`${signature}\``, kind: CompletionItemKind.Function };
  });

async function namesFor(
  desk: Desk,
  workflow: LoadedWorkflow | undefined,
  cursor: CursorPlace,
  names: readonly string[],
): Promise<readonly Option[]> {
  if (!workflow) return [];
  const scope = new TemplateScope(desk, workflow, cursor.path);
  const found = names.length === 0 ? scope.roots() : await scope.members(names);
  const kind = names.length === 0 ? CompletionItemKind.Variable : CompletionItemKind.Field;
  return found.map(({ name, about }) => ({ label: name, about, kind }));
}

function keys(desk: Desk, path: string, kind: FileKind, cursor: CursorPlace): readonly Option[] {
  const written = new Set(keysAt(cursor.root, cursor.path));
  const place = { kind, root: cursor.root, extensions: desk.session.extensions };
  const fields =
    namedKeys(desk, path, kind, cursor) ??
    fieldsAt(cursor.path, place).map(({ name, about, isRequired }) =>
      keyOption(name, about, CompletionItemKind.Field, isRequired),
    );
  return fields.filter(({ label }) => !written.has(label));
}

const keyOption = (label: string, about: string, kind: CompletionItemKind, isRequired = false): Option => ({
  label,
  about,
  kind,
  rank: isRequired ? 0 : 1,
  insert: `${label}: `,
});

/** Keys that are names: inputs of a sub-workflow, steps that a scenario answers for. */
function namedKeys(
  desk: Desk,
  path: string,
  kind: FileKind,
  { path: at, root }: CursorPlace,
): readonly Option[] | undefined {
  const [section] = at;
  if (kind === "workflow" && at.at(-1) === "input_mapping") {
    const file = plainAt(root, [...at.slice(0, -1), "workflow"]);
    const child = typeof file === "string" ? desk.workflow(path)?.children.get(file) : undefined;
    return inputsOf(child);
  }
  if (kind !== "scenario" || at.length !== 1) return undefined;
  const workflow = testedBy(desk, path);
  const ofType = (type: string): readonly Option[] =>
    stepsOf(workflow)
      .filter(({ about }) => about === type)
      .map((option) => ({ ...option, insert: `${option.label}: ` }));
  if (section === "inputs") return inputsOf(workflow);
  if (section === "agent_scripts") return ofType("agent");
  if (section === "gates") return ofType("human_gate");
  return section === "questions" ? ofType("questions") : undefined;
}

const inputsOf = (workflow: LoadedWorkflow | undefined): readonly Option[] =>
  Object.entries(workflow?.definition.workflow.input ?? {}).map(([label, { type, description, required }]) =>
    keyOption(label, description ?? type, CompletionItemKind.Property, required),
  );

const testedBy = (desk: Desk, path: string): LoadedWorkflow | undefined => {
  const file = desk.workflowOf(path);
  return file === undefined ? undefined : desk.workflow(file);
};

const stepsOf = (workflow: LoadedWorkflow | undefined): readonly Option[] =>
  (workflow ? gatherFacts(workflow).nodes.all : []).map(({ name: label, type: about }) => {
    return { label, about, kind: CompletionItemKind.Reference };
  });

function values(desk: Desk, path: string, kind: FileKind, cursor: CursorPlace): readonly Option[] {
  const { path: at } = cursor;
  const last = at.at(-1);
  const field = typeof last === "number" ? at.at(-2) : last;
  const workflow = kind === "workflow" ? desk.workflow(path) : testedBy(desk, path);
  if (cursor.isFile) return files(desk, path, "any");
  if (kind === "workflow") {
    if (isTarget(at)) return targets(workflow, at);
    if (field === "on_error" || field === "raises" || (last === "kind" && at.includes("raise_when")))
      return kinds(workflow, at);
    if (last === "workflow" && at.length > 1) return files(desk, path, "workflow");
  } else {
    if (field === "workflow") return files(desk, path, "workflow");
    if (last === "extends" || last === "scenario") return files(desk, path, "scenario");
    if (last === "dataset") return files(desk, path, "dataset");
    if (last === "step" || field === "agents_executed" || field === "live" || field === "trace" || last === "node")
      return stepsOf(workflow);
    if (last === "kind" || at.includes("no_errors")) return kinds(workflow, []);
  }
  const place = { kind, root: cursor.root, extensions: desk.session.extensions };
  const words = wordsAt(at, place).map((label) => ({ label, kind: CompletionItemKind.EnumMember }));
  // A mapping begins with its first key: what is written there is no value.
  const isNext = cursor.mayBeKey && words.length === 0;
  return isNext ? keys(desk, path, kind, cursor) : words;
}

/** `to`, `route`, `abort_route`, `entry_point`, and the members of a parallel group. */
function isTarget(at: NodePath): boolean {
  const last = at.at(-1);
  if (last === "to") return at.includes("routes") || at.includes("error_routes");
  if (last === "route") return at.includes("options");
  if (last === "abort_route" || last === "entry_point") return true;
  return typeof last === "number" && at[0] === "parallel" && at.at(-2) === "agents";
}

function targets(workflow: LoadedWorkflow | undefined, at: NodePath): readonly Option[] {
  if (!workflow) return [];
  const { nodes } = gatherFacts(workflow);
  const isMember = at[0] === "parallel" && at.at(-2) === "agents";
  const named = nodes.targets.map((label): Option => {
    return { label, about: nodes.get(label)?.type, kind: CompletionItemKind.Reference };
  });
  if (isMember) return named.filter(({ label }) => nodes.get(label)?.kind === "step");
  if (at.at(-1) === "entry_point") return named;
  return [...named, { label: "$end", about: "the end of the workflow", kind: CompletionItemKind.Keyword, rank: 1 }];
}

/** Those that can come here first. */
function kinds(workflow: LoadedWorkflow | undefined, at: NodePath): readonly Option[] {
  const facts = workflow && gatherFacts(workflow);
  const node = facts?.nodes.all
    .filter((one) => one.path.every((key, index) => at[index] === key))
    .sort((a, b) => b.path.length - a.path.length)[0];
  const raised = node && facts ? facts.raises(node).map(({ kind }) => kind) : [];
  // A route may name a kind before the step declares it.
  const routed = at.includes("raises") ? (node?.routes ?? []).flatMap(({ on_error }) => on_error ?? []) : [];
  const here = [...raised, ...routed.filter((word) => typeof word === "string" && isKind(word))] as readonly string[];
  const known = facts ? facts.nodes.all.flatMap((one) => facts.raises(one).map(({ kind }) => kind)) : [];
  const isRoute = at.includes("on_error");
  const all = [...here, ...known, ...(isRoute ? KINDS.keys() : [])].filter((kind) => kind !== "*");
  const option = (label: string): Option => ({
    label,
    kind: CompletionItemKind.Constant,
    rank: here.includes(label) ? 0 : 1,
    about: KINDS.has(label) ? `Raised when ${KINDS.get(label)?.when}.` : undefined,
  });
  // The engine's kinds need no declaration.
  const named = [...new Set(all)].filter((kind) => isRoute || at.length === 0 || !isEngineKind(kind)).map(option);
  return isRoute && typeof at.at(-1) === "string"
    ? [...named, { label: "true", about: "every error", kind: CompletionItemKind.Keyword, rank: 2 }]
    : named;
}

function files(desk: Desk, path: string, which: "workflow" | "scenario" | "dataset" | "any"): readonly Option[] {
  const folder = dirname(path);
  const shown = (file: string): string => {
    const way = relative(folder, file).split(sep).join("/");
    return way.startsWith(".") ? way : `./${way}`;
  };
  const own = desk.files().filter(({ kind, path: file }) => file !== path && (which === "any" || kind === which));
  const endings = which === "any" ? TEXTS : which === "dataset" ? DATASETS : undefined;
  const others = endings ? filesBelow(desk, folder, "", endings, 3) : [];
  return [...own.map(({ path: file }) => shown(file)), ...others]
    .slice(0, MOST_FILES)
    .map((label) => ({ label, kind: CompletionItemKind.File }));
}

/** For `!file`: prompts and schemas. */
const TEXTS = /\.(?:md|txt|ya?ml|json|j2|jinja)$/;
const DATASETS = /\.(?:jsonl|ndjson|csv|json)$/;

/** Near the file that takes them in. */
function filesBelow(desk: Desk, folder: string, way: string, endings: RegExp, depth: number): readonly string[] {
  const names = desk.session.readsFrom?.overlay?.list?.(`${folder}/${way}`) ?? [];
  return names.flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    if (endings.test(name)) return [`./${way}${name}`];
    return depth > 0 && !name.includes(".") ? filesBelow(desk, folder, `${way}${name}/`, endings, depth - 1) : [];
  });
}
