// A step as it stands in its file: its lines, as they were when the run was driven.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { type Redactor, redactSourceLine } from "../../redact/index.ts";
import { shownPath } from "../session/shown-path.ts";

export interface StepYaml {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const MOST_LINES = 400;

export function stepYaml(workflow: LoadedWorkflow, node: string, cwd: string, redactor: Redactor): StepYaml | null {
  const path = workflow.pathOf(node);
  if (path.length === 0) return null;
  const { file, line, column } = workflow.positions.at(path);
  const source = workflow.sources.get(file);
  if (source === undefined) return null;
  const lines = source.split(/\r\n|\r|\n/).slice(line - 1);
  const [first = ""] = lines;
  const indent = indentOf(first);
  // The step inside a group begins with its first key, and its other keys stand below that; one of a list, or in braces,
  // has more indented lines alone.
  const isKeyBelowKey = column === indent + 1 && !/^\s*-/.test(first);
  const isOutside = (text: string): boolean => (isKeyBelowKey ? indentOf(text) < indent : indentOf(text) <= indent);
  const end = lines.findIndex((text, index) => index > 0 && text.trim() !== "" && isOutside(text));
  const own = lines.slice(0, end === -1 ? undefined : end).slice(0, MOST_LINES);
  while (own.at(-1)?.trim() === "") own.pop();
  return { file: shownPath(file, cwd), line, text: redactor.text(own.map(redactSourceLine).join("\n")) };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;
