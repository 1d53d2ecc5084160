// Findings as the protocol's diagnostics: with a range, the rule's page, and the places that they are related to.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Diagnostic, type DiagnosticRelatedInformation, DiagnosticSeverity } from "vscode-languageserver/node";
import { gatherFacts } from "../language/analysis/index.ts";
import { type Finding, stepsOf } from "../language/loaded.ts";
import { editorPosition } from "../services/desk/text.ts";
import { environmentRedactor } from "../services/secrets/environment-redactor.ts";
import { packageFolder } from "../services/session/package-folder.ts";
import type { Desk } from "./desk.ts";

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
    ...(related.length > 0 ? { relatedInformation: [...related] } : {}),
    data: { suggestions: suggestions.map((one) => redactor.text(one)) },
  };
}

/** The steps that lead to a finding in a sub-workflow, the step that it is about, and the route that takes its place. */
function relatedTo(desk: Desk, path: string, finding: Finding): readonly DiagnosticRelatedInformation[] {
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
