// The outline of a file: steps and groups, and what can be folded.

import { type DocumentSymbol, type FoldingRange, SymbolKind } from "vscode-languageserver/node";
import type { YAMLMap, YAMLSeq } from "yaml";
import { gatherFacts } from "../language/analysis/index.ts";
import { yamlLibrary } from "../language/yaml-library.ts";
import { YamlEdit } from "../services/desk/yaml-edit.ts";
import type { Desk } from "./desk.ts";

export function documentSymbols(desk: Desk, path: string): readonly DocumentSymbol[] {
  const workflow = desk.kindOf(path) === "workflow" ? desk.workflow(path) : undefined;
  if (!workflow) return [];
  const text = desk.text(path);
  const edit = new YamlEdit(text.text);
  const { nodes } = gatherFacts(workflow);
  const symbol = (
    name: string,
    detail: string,
    at: readonly (string | number)[],
    kind: SymbolKind,
  ): DocumentSymbol[] => {
    const node = edit.node(at);
    if (!node?.range || workflow.positions.at(at).file !== path) return [];
    const range = text.range(node.range[0], edit.endOf(node));
    const title = edit.node([...at, "name"]);
    const selectionRange = title?.range
      ? text.range(title.range[0], title.range[1])
      : { start: range.start, end: range.start };
    return [{ name, detail, kind, range, selectionRange }];
  };
  return nodes.all.flatMap((node): readonly DocumentSymbol[] => {
    if (node.kind === "step") return node.inline ? [] : symbol(node.name, node.type, node.path, SymbolKind.Function);
    const [group] = symbol(node.name, node.type, node.path, SymbolKind.Namespace);
    if (!group) return [];
    const inner =
      node.type === "for_each"
        ? symbol(node.group.agent.name, node.group.agent.type, [...node.path, "agent"], SymbolKind.Function)
        : [];
    return [{ ...group, children: inner }];
  });
}

export function foldingRanges(desk: Desk, path: string): readonly FoldingRange[] {
  if (!desk.kindOf(path)) return [];
  const { parseDocument, visit, isCollection, isScalar } = yamlLibrary();
  const text = desk.text(path);
  const found = new Map<number, FoldingRange>();
  const fold = (start: number, end: number): void => {
    const startLine = text.position(start).line;
    const endLine = text.position(end).line;
    if (endLine > startLine && !found.has(startLine)) found.set(startLine, { startLine, endLine });
  };
  const document = parseDocument(text.text, { uniqueKeys: false, logLevel: "silent" });
  const trimmed = (from: number, to: number): number => from + text.text.slice(from, to).trimEnd().length;
  visit(document, {
    Pair(_, { key, value }) {
      const start = isScalar(key) ? key.range?.[0] : undefined;
      const range = isCollection(value) || isScalar(value) ? (value as YAMLMap | YAMLSeq).range : undefined;
      if (start !== undefined && range) fold(start, trimmed(start, range[1]));
    },
    Map(key, { range }) {
      if (typeof key === "number" && range) fold(range[0], trimmed(range[0], range[1]));
    },
  });
  return [...found.values()];
}
