// A step as it stands in its file: its lines, as they were when the run was driven.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { type Redactor, redactSourceLine } from "../../redact/index.ts";
import { shownPath } from "../shown-path.ts";

export interface StepYaml {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const MOST_LINES = 400;

export function stepYaml(workflow: LoadedWorkflow, node: string, cwd: string, redactor: Redactor): StepYaml | null {
  const path = workflow.pathOf(node);
  if (path.length === 0) return null;
  const { file, line } = workflow.positions.at(path);
  const source = workflow.sources.get(file);
  if (source === undefined) return null;
  const lines = source.split(/\r\n|\r|\n/).slice(line - 1);
  const [first = ""] = lines;
  const indent = indentOf(first);
  const end = lines.findIndex((text, index) => index > 0 && text.trim() !== "" && indentOf(text) <= indent);
  const own = lines.slice(0, end === -1 ? undefined : end).slice(0, MOST_LINES);
  while (own.at(-1)?.trim() === "") own.pop();
  return { file: shownPath(file, cwd), line, text: redactor.text(own.map(redactSourceLine).join("\n")) };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;
