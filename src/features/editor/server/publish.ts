// Sends findings as diagnostics a moment after the last key: what was typed is checked first, then the files that call it, one
// at a time, so that questions in between are answered at once.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Diagnostic,
  type DiagnosticRelatedInformation,
  DiagnosticSeverity,
  type PublishDiagnosticsParams,
} from "vscode-languageserver/node";
import { gatherFacts } from "../../../language/analysis/index.ts";
import { type Finding, stepsOf } from "../../../language/loaded.ts";
import { environmentRedactor } from "../../../services/session/exit.ts";
import { packageFolder } from "../../../services/session/home.ts";
import { editorPosition } from "../text.ts";
import type { Desk } from "./desk.ts";

/** Runs something later; gives what takes it back. */
export type Later = (ms: number, work: () => void) => () => void;

/** Between the last key and the check. */
const QUIET_MS = 40;
/** The longest delay while the user types without a pause. */
const LONGEST_MS = 120;
/** Callers that are not open are checked as well, but a file that half the project calls is no reason to check it all. */
const MOST_CALLERS = 20;

export class Publisher {
  readonly #dirty = new Set<string>();
  /** By file that was checked: what it has to say, by file. */
  readonly #said = new Map<string, ReadonlyMap<string, readonly Diagnostic[]>>();
  /** What the client has, by file. */
  readonly #sent = new Map<string, string>();
  #cancel: (() => void) | undefined;
  /** Set by the first key after a check, and kept by those after it. */
  #cancelLongest: (() => void) | undefined;

  constructor(
    private readonly desk: Desk,
    private readonly send: (params: PublishDiagnosticsParams) => void,
    private readonly later: Later,
    private readonly failed: (problem: unknown) => void,
  ) {}

  /** These files may have something else to say. */
  touch(paths: readonly string[]): void {
    const callers = paths.filter((path) => !this.desk.open.has(path)).slice(0, MOST_CALLERS);
    for (const path of [...paths.filter((one) => this.desk.open.has(one)), ...callers]) this.#dirty.add(path);
    this.#cancel?.();
    this.#cancel = this.later(QUIET_MS, () => this.#next());
    this.#cancelLongest ??= this.later(LONGEST_MS, () => this.#next());
  }

  close(path: string): void {
    this.#forget(path);
    if (this.desk.open.size === 0) for (const one of [...this.#said.keys()]) this.#forget(one);
  }

  #forget(path: string): void {
    const files = [path, ...(this.#said.get(path)?.keys() ?? [])];
    this.#said.delete(path);
    this.#dirty.delete(path);
    for (const file of new Set(files)) this.#publish(file);
  }

  #next(): void {
    this.#cancel?.();
    this.#cancelLongest?.();
    this.#cancel = undefined;
    this.#cancelLongest = undefined;
    const [path] = this.#dirty;
    if (path === undefined) return;
    this.#dirty.delete(path);
    try {
      this.#check(path);
    } catch (problem) {
      this.failed(problem);
    }
    if (this.#dirty.size > 0 && !this.#cancel) this.#cancel = this.later(0, () => this.#next());
  }

  #check(path: string): void {
    const before = this.#said.get(path)?.keys() ?? [];
    const isOurs = this.desk.kindOf(path) !== undefined;
    const said = isOurs ? diagnosticsOf(this.desk, path) : new Map<string, readonly Diagnostic[]>();
    const files = new Set([...before, ...said.keys()]);
    if (isOurs) this.#said.set(path, said);
    else this.#said.delete(path);
    for (const file of files) this.#publish(file);
  }

  /** What all that was checked has to say of one file, each finding once, and only when it is news. */
  #publish(file: string): void {
    const all = new Map<string, Diagnostic>();
    for (const said of this.#said.values())
      for (const one of said.get(file) ?? []) all.set(JSON.stringify([one.code, one.range, one.message]), one);
    const diagnostics = [...all.values()];
    const version = this.desk.versionOf(file);
    const sent = JSON.stringify([version, diagnostics]);
    const known = this.#sent.get(file);
    if (known === sent || (known === undefined && diagnostics.length === 0 && version === undefined)) return;
    if (diagnostics.length === 0 && !this.desk.open.has(file)) this.#sent.delete(file);
    else this.#sent.set(file, sent);
    this.send({ uri: this.desk.uriOf(file), version, diagnostics });
  }
}

/** The page of rules as it came with the program. */
const rulesPage = (): string => pathToFileURL(join(packageFolder() ?? "", "docs", "reference.md")).href;

/** Of one file that was checked: its diagnostics and those of the files that it calls, by file. */
export function diagnosticsOf(desk: Desk, path: string): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>([[path, []]]);
  for (const finding of desk.check(path)?.findings ?? []) {
    const { file } = finding.location;
    found.set(file, [...(found.get(file) ?? []), diagnosticOf(desk, path, finding)]);
  }
  return found;
}

function diagnosticOf(desk: Desk, path: string, finding: Finding): Diagnostic {
  const { rule, severity, message, suggestions, location, end = location } = finding;
  const redactor = environmentRedactor(desk.session.env);
  const related = relatedTo(desk, path, finding);
  return {
    range: { start: editorPosition(location), end: editorPosition(end) },
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code: rule,
    codeDescription: { href: `${rulesPage()}#${rule}` },
    source: "segno",
    message: redactor.text(message),
    relatedInformation: related.length > 0 ? related : undefined,
    data: { suggestions: suggestions.map((one) => redactor.text(one)) },
  };
}

/** The steps that lead to a finding in a sub-workflow, the step that it is about, and the route that takes its place. */
function relatedTo(desk: Desk, path: string, finding: Finding): DiagnosticRelatedInformation[] {
  const { via = [], node, location, message } = finding;
  const related: DiagnosticRelatedInformation[] = [];
  const add = (file: string, line: number, column: number, said: string): void => {
    const at = editorPosition({ line, column });
    if (file === location.file && line === location.line) return;
    related.push({ location: { uri: desk.uriOf(file), range: { start: at, end: at } }, message: said });
  };
  let workflow = desk.check(path)?.workflow;
  for (const name of via) {
    if (!workflow) break;
    const { file, line, column } = workflow.positions.at(workflow.pathOf(name));
    add(file, line, column, `\`${name}\` calls it here`);
    const step = stepsOf(workflow.definition).find((one) => one.name === name);
    workflow = step?.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
  }
  if (!workflow) return related;
  // Messages name lines of the same file: "the route in line 12 takes it".
  for (const [, line] of message.matchAll(/\bline (\d+)\b/g))
    add(location.file, Number(line), 1, "the place that it speaks of");
  if (node !== undefined && workflow.pathOf(node).length > 0) {
    const { file, line, column } = workflow.positions.at(workflow.pathOf(node));
    add(file, line, column, `the step \`${node}\``);
  }
  const unhandled = finding.rule === "error-unhandled" ? gatherFacts(workflow).errors.unhandled : [];
  for (const { node_id, kind, raised_in } of unhandled)
    if (node_id === node && raised_in && message.includes(kind))
      add(raised_in.file, raised_in.line, raised_in.column, `raises \`${kind}\``);
  return related;
}
