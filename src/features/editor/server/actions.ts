// Quick fixes for findings with a suggestion, and what can be made of a step, a route or some steps.
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  type Range,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { isEngineKind } from "../../../base/errors/index.ts";
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import { type FlowNode, gatherFacts } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import { isToBeExpected } from "../../../services/workflows/describe.ts";
import { firstCandidate } from "../../scenarios/generate/candidates.ts";
import { extractSteps } from "../extract.ts";
import { addRoute, fixOf } from "../fixes.ts";
import { isWithin, type TextChange, YamlEdit } from "../text.ts";
import type { Desk } from "./desk.ts";
import { rename, START } from "./navigate.ts";
import { diagnosticsOf } from "./publish.ts";

export function codeActions(desk: Desk, path: string, range: Range): readonly CodeAction[] {
  const kind = desk.kindOf(path);
  if (!kind) return [];
  const fixes = quickFixes(desk, path, range);
  const workflow = kind === "workflow" ? desk.check(path)?.workflow : undefined;
  return workflow ? [...fixes, ...refactorings(desk, path, workflow, range)] : fixes;
}

const overlaps = (one: Range, other: Range): boolean =>
  isWithin(one.start, other) || isWithin(one.end, other) || isWithin(other.start, one);

function quickFixes(desk: Desk, path: string, range: Range): readonly CodeAction[] {
  const { findings = [], workflow } = desk.check(path) ?? {};
  const shown = diagnosticsOf(desk, path).get(path) ?? [];
  const own = findings.filter(({ location }) => location.file === path);
  return shown.flatMap((diagnostic, index) => {
    const finding = own[index];
    if (!finding || !overlaps(range, diagnostic.range)) return [];
    return finding.suggestions.flatMap((suggestion, place) => {
      const edit = editFor(desk, path, diagnostic, { ...finding, suggestion }, workflow);
      const more = { diagnostics: [diagnostic], isPreferred: place === 0 };
      return action(titleOf(suggestion), CodeActionKind.QuickFix, edit).map((fix) => ({ ...fix, ...more }));
    });
  });
}

const titleOf = (suggestion: string): string =>
  suggestion.startsWith("- ")
    ? `Add the route ${suggestion.slice(2)}`
    : /^[a-z_]+: /.test(suggestion)
      ? `Write ${suggestion}`
      : `Change to ${suggestion}`;

function editFor(
  desk: Desk,
  path: string,
  { range }: Diagnostic,
  found: { readonly rule: string; readonly suggestion: string; readonly node?: string },
  workflow: LoadedWorkflow | undefined,
): WorkspaceEdit | undefined {
  // Another name for a step is one everywhere.
  if (found.rule === "name-not-in-templates")
    return unlessItThrows(() => rename(desk, path, range.start, found.suggestion), undefined);
  const text = desk.text(path);
  const offsets = { start: text.offset(range.start), end: text.offset(range.end) };
  return editOf(desk, path, fixOf(text.text, { ...found, ...offsets }, workflow));
}

function editOf(desk: Desk, path: string, change: TextChange | undefined): WorkspaceEdit | undefined {
  if (!change) return undefined;
  const range = desk.text(path).range(change.start, change.end);
  return desk.edit(new Map([[path, [{ range, newText: change.newText }]]]));
}

/** A workflow file in which something can be made of what is selected. */
interface Place {
  readonly desk: Desk;
  readonly path: string;
  readonly workflow: LoadedWorkflow;
  readonly edit: YamlEdit;
  readonly range: Range;
}

function refactorings(desk: Desk, path: string, workflow: LoadedWorkflow, range: Range): readonly CodeAction[] {
  const edit = new YamlEdit(desk.text(path).text);
  const place = { desk, path, workflow, edit, range };
  const lines = (node: FlowNode): Range => {
    const found = edit.node(node.path);
    return desk.text(path).range(found?.range?.[0] ?? 0, edit.endOf(found));
  };
  const isHere = (node: FlowNode): boolean =>
    workflow.positions.at(node.path).file === path && overlaps(range, lines(node));
  const here = gatherFacts(workflow).nodes.all.filter(isHere);
  if (range.start.line !== range.end.line) return extractAction(place, here);
  const node = here.find((one) => one.kind === "step") ?? here[0];
  return node ? [...routeActions(place, node), ...raiseActions(place, node), ...scenarioActions(place, node)] : [];
}

const action = (title: string, kind: string, edit: WorkspaceEdit | undefined): readonly CodeAction[] =>
  edit ? [{ title, kind, edit }] : [];

/** A route for each unhandled kind; the expected kinds come first. */
function routeActions({ desk, path, workflow, edit }: Place, node: FlowNode): readonly CodeAction[] {
  const { errors } = gatherFacts(workflow);
  const open = errors.unhandled.filter(({ node_id, kind }) => node_id === node.name && kind !== "*");
  const kinds = [...new Set(open.map(({ kind }) => kind))].sort(
    (a, b) => Number(isToBeExpected(b)) - Number(isToBeExpected(a)),
  );
  return kinds.flatMap((kind) => {
    const change = addRoute(edit, node.path, `{ on_error: ${kind}, to: … }`, workflow, node.name);
    return action(`Add a route for ${kind}`, CodeActionKind.RefactorRewrite, editOf(desk, path, change));
  });
}

function raiseActions({ desk, path, edit }: Place, node: FlowNode): readonly CodeAction[] {
  if (node.kind !== "step" || !("raises" in node.step || "raise_when" in node.step || node.type === "script"))
    return [];
  const { step } = node;
  const declared = "raises" in step ? (step.raises ?? []) : [];
  const named = node.routes.flatMap(({ on_error }) =>
    Array.isArray(on_error) ? on_error : typeof on_error === "string" ? [on_error] : [],
  );
  const missing = named.filter((kind) => !declared.includes(kind) && !isEngineKind(kind) && !kind.includes("*"));
  const declare = missing.flatMap((kind) => {
    const change = edit.addItem([...node.path, "raises"], kind);
    return action(`Declare ${kind}`, CodeActionKind.RefactorRewrite, editOf(desk, path, change));
  });
  const kind = declared[0] ?? `external.${node.name.toLowerCase().replace(/[^a-z0-9_]/g, "_")}.failed`;
  const condition =
    node.type === "http" ? "status >= 400" : node.type === "script" ? "exit_code != 0" : "output is none";
  const rule = edit.addItem(
    [...node.path, "raise_when"],
    `{ when: "${condition}", kind: ${kind}, message: "${node.name} failed" }`,
  );
  return [...declare, ...action("Add raise_when", CodeActionKind.RefactorRewrite, editOf(desk, path, rule))];
}

/** A scenario for the error route under the cursor: written, and not played. */
function scenarioActions({ path, workflow, range }: Place, node: FlowNode): readonly CodeAction[] {
  return node.routes.flatMap((route, index) => {
    const { line } = workflow.positions.at([...node.path, "routes", index]);
    if (route.on_error === undefined || line - 1 !== range.start.line) return [];
    const scenario = firstCandidate(workflow, node.name, index);
    if (!scenario) return [];
    const words = `${node.name}-${JSON.stringify(route.on_error)}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/-$/, "");
    const folder = join(dirname(path), "tests");
    const file = freeFile(folder, words.slice(0, 60), ".scenario.yaml");
    const text = scenario.textFor(relative(folder, path).replaceAll("\\", "/"));
    return action("Make a scenario for this route", CodeActionKind.RefactorExtract, created(file, text));
  });
}

function freeFile(folder: string, name: string, ending: string): string {
  for (let number = 1; ; number++) {
    const file = join(folder, `${name}${number === 1 ? "" : `-${number}`}${ending}`);
    if (!existsSync(file)) return file;
  }
}

const created = (file: string, text: string): WorkspaceEdit => ({
  documentChanges: [
    { kind: "create", uri: pathToFileURL(file).href },
    { textDocument: { uri: pathToFileURL(file).href, version: null }, edits: [{ range: START, newText: text }] },
  ],
});

/** Offered for a selection of whole steps, and only where both files are then right. */
function extractAction({ desk, path, workflow }: Place, chosen: readonly FlowNode[]): readonly CodeAction[] {
  const text = desk.text(path);
  const names = chosen.filter((node) => node.kind === "step" && !node.inline).map(({ name }) => name);
  const folder = dirname(path);
  const extracted = extractSteps(workflow, text, names, (name) => !existsSync(join(folder, name)));
  if (!extracted) return [];
  const file = join(folder, extracted.fileName);
  const texts = new Map([
    [file, extracted.child],
    [path, extracted.parent],
  ]);
  if (desk.errorsWith(path, texts).length > desk.errorsWith(path, new Map()).length) return [];
  const { documentChanges = [] } = created(file, extracted.child);
  const whole = { range: text.range(0, text.text.length), newText: extracted.parent };
  const edit: WorkspaceEdit = { documentChanges: [...documentChanges, desk.documentEdit(path, [whole])] };
  const steps = names.length === 1 ? "1 step" : `${names.length} steps`;
  return action(`Extract ${steps} to ${basename(file)}`, CodeActionKind.RefactorExtract, edit);
}
