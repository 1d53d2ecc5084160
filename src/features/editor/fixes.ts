// Turns a finding's suggestion into a change of the text. Most replace a wrong name; some add a missing route, field or
// guard at its place.
import { gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import { yamlLibrary } from "../../language/tree.ts";
import { type TextChange, YamlEdit } from "./text.ts";

export interface Suggested {
  readonly rule: string;
  readonly suggestion: string;
  readonly node?: string | undefined;
  /** Offsets of what is wrong. */
  readonly start: number;
  readonly end: number;
}

/** Nothing where the suggestion cannot be made in this text. */
export function fixOf(text: string, found: Suggested, workflow: LoadedWorkflow | undefined): TextChange | undefined {
  const { rule, suggestion, start, end } = found;
  const edit = new YamlEdit(text);
  const path = workflow && found.node !== undefined ? workflow.pathOf(found.node) : undefined;
  if (suggestion.startsWith("- ")) return path && addRoute(edit, path, suggestion.slice(2), workflow, found.node);
  if (suggestion.startsWith("{% if ")) return guarded(text, found);
  if (rule === "explicit-reference-undeclared" || rule === "explicit-error-undeclared")
    return path && edit.addItem([...path, "input"], suggestion);
  if (rule === "subworkflow-input") return path && mapInput(edit, path, suggestion.replace("…", '"…"'));
  if (rule === "more-steps-than-max-iterations") {
    const [, number = ""] = /(\d+)/.exec(suggestion) ?? [];
    if (/^\d+$/.test(text.slice(start, end))) return { start, end, newText: number };
    return edit.node(["workflow", "limits"])
      ? edit.addEntry(["workflow", "limits"], suggestion)
      : edit.addEntry(["workflow"], `limits: { ${suggestion} }`);
  }
  if (!/^[a-z_]+: \S/.test(suggestion)) return { start, end, newText: inQuotes(text.slice(start, end), suggestion) };
  const entries = entriesOf(suggestion);
  const key = keyStart(text, start);
  const isReplaced = rule === "on-error-empty" || rule === "foreign-step" || rule === "command-is-a-shell-line";
  if (!isReplaced) return before(text, key, entries);
  const line = text.slice(key);
  const ownEnd =
    rule === "command-is-a-shell-line"
      ? end
      : key + (/^[\w"']+\s*:[ \t]*(?:null\b|~)?/.exec(line)?.[0].trimEnd().length ?? 0);
  if (rule === "foreign-step" && path) {
    const name = /^[\w-]+/.exec(line)?.[0] ?? "";
    return edit.replaceEntry([...path, name], entries);
  }
  return { start: key, end: ownEnd, newText: entries.join(separator(text, key)) };
}

/** A route at the end of a step's routes. A step that had none goes on as it did when it succeeds. */
export function addRoute(
  edit: YamlEdit,
  path: NodePath,
  route: string,
  workflow: LoadedWorkflow | undefined,
  node: string | undefined,
): TextChange | undefined {
  const { graph } = workflow ? gatherFacts(workflow) : { graph: undefined };
  const needsSuccess = route.includes("on_error") && !(node !== undefined && graph?.onlyMember(node));
  const complete = route.replace("to: …", 'halt: { message: "{{ error.message }}" }');
  const item = complete.startsWith("{") ? complete : `{ ${complete} }`;
  return edit.addItem([...path, "routes"], item, needsSuccess ? ["{ to: $end }"] : []);
}

const mapInput = (edit: YamlEdit, path: NodePath, entry: string): TextChange | undefined =>
  edit.node([...path, "input_mapping"])
    ? edit.addEntry([...path, "input_mapping"], entry)
    : edit.addEntry(path, `input_mapping: { ${entry} }`);

/** Around the braces that it stands in; before a condition without braces. */
function guarded(text: string, { suggestion, start }: Suggested): TextChange | undefined {
  const open = text.lastIndexOf("{{", start);
  const close = text.indexOf("}}", start);
  const isInBraces =
    open >= 0 && close > 0 && !text.slice(open, start).includes("}}") && !text.slice(open, start).includes("\n\n");
  if (!isInBraces) return undefined;
  return { start: open, end: close + 2, newText: `${suggestion}${text.slice(open, close + 2)}{% endif %}` };
}

/** A text stays in the quotes that it had: `${TOKEN}` in a flow mapping needs them. */
const inQuotes = (written: string, suggestion: string): string => {
  const [quote = ""] = /^["']/.exec(written) ?? [];
  return quote !== "" && written.endsWith(quote) && !/^["']/.test(suggestion)
    ? `${quote}${suggestion}${quote}`
    : suggestion;
};

/** The key of the entry whose key or value begins here. */
function keyStart(text: string, offset: number): number {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  const key = /([\w"'-]+\s*:\s+)$/.exec(line)?.[0];
  return key === undefined ? offset : offset - key.length;
}

const isFlowAt = (text: string, offset: number): boolean =>
  /[{,]\s*$/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset));

const separator = (text: string, offset: number): string =>
  isFlowAt(text, offset) ? ", " : `\n${" ".repeat(offset - (text.lastIndexOf("\n", offset - 1) + 1))}`;

/** New entries before the one at this offset, or first in the flow mapping that begins there. */
function before(text: string, offset: number, entries: readonly string[]): TextChange {
  if (text[offset] === "{") return { start: offset + 1, end: offset + 1, newText: ` ${entries.join(", ")},` };
  const between = separator(text, offset);
  return { start: offset, end: offset, newText: `${entries.join(between)}${between}` };
}

/** `type: script, command: ls` as its entries. */
function entriesOf(suggestion: string): readonly string[] {
  const { parseDocument, isMap } = yamlLibrary();
  const text = `{ ${suggestion} }`;
  const { contents } = parseDocument(text, { logLevel: "silent" });
  if (!isMap(contents)) return [suggestion];
  return contents.items.map(({ key, value }) => {
    const start = (key as { range?: readonly number[] }).range?.[0] ?? 0;
    return text.slice(start, (value as { range?: readonly number[] } | null)?.range?.[1] ?? text.length - 2).trim();
  });
}
