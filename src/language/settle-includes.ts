// Whether a file that `!file` names is text or structure, by the field in which it stands: a field that wants text gets text,
// one that wants a mapping or a list gets that. Where both fit, `.md` and `.txt` are text.
import { extname } from "node:path";
import { isMapping } from "../base/errors/mapping.ts";
import type { StepTypes } from "../steps/types.ts";
import { measured } from "./grow.ts";
import { STRUCTURED } from "./include.ts";
import type { NodePath } from "./loaded.ts";
import { fileOutput, forEachFrame, isStepsKey, parallelGroup, tools } from "./schema/index.ts";
import { workflowSection } from "./schema/workflow-section.ts";
import { choicesOf, defOf, schemaAt } from "./schema-at.ts";
import { type Problem, type Tree, type TreeEntry, treeAt, treeValue } from "./tree.ts";

type Schema = NonNullable<ReturnType<typeof schemaAt>>;

const TEXTS: readonly string[] = [".md", ".txt"];
const TEXT_TYPES: readonly string[] = ["string", "literal", "enum"];
const STRUCTURE_TYPES: readonly string[] = ["object", "record", "array"];

export function settleIncludes(root: Tree, types: StepTypes): { readonly tree: Tree; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const settle = (tree: Tree, path: NodePath): Tree => {
    if (tree.asText || tree.unread) {
      const settled = settleOne(tree, wantedAt(root, path, types));
      if (settled.unread) problems.push(...settled.unread);
      if (settled.kind === "scalar") return settled;
    }
    if (tree.kind === "list") {
      const items = tree.items.map((item, index) => settle(item, [...path, index]));
      return { ...tree, items, ...measured(items) };
    }
    if (tree.kind === "scalar") return tree;
    const entries = new Map<string, TreeEntry>();
    for (const [key, entry] of tree.entries) entries.set(key, { ...entry, value: settle(entry.value, [...path, key]) });
    return { ...tree, entries, ...measured([...entries.values()].map(({ value }) => value)) };
  };
  return { tree: settle(root, []), problems };
}

type Wanted = "text" | "structure" | "either";

/** With `unread` where structure is wanted and the file has none. */
function settleOne(tree: Tree, wanted: Wanted): Tree {
  const text = tree.asText ?? (tree.kind === "scalar" ? tree : undefined);
  const extension = extname(text?.content.source.path ?? "");
  const isText = wanted === "text" || (wanted === "either" && TEXTS.includes(extension));
  if (isText) return withoutChoice(tree.asText ?? tree);
  if (tree.unread === undefined) return tree;
  const isRefused = wanted === "structure" || STRUCTURED.includes(extension);
  return isRefused ? { ...tree, isBroken: true } : withoutChoice(tree);
}

const withoutChoice = ({ unread: _, asText: _text, ...tree }: Tree): Tree => tree as Tree;

function wantedAt(root: Tree, path: NodePath, types: StepTypes): Wanted {
  const schema = fieldAt(root, path, types);
  if (!schema) return "either";
  const kinds = choicesOf(schema).map((choice) => defOf(choice).type as string);
  const isText = kinds.some((kind) => TEXT_TYPES.includes(kind));
  const isStructure = kinds.some((kind) => STRUCTURE_TYPES.includes(kind));
  if (isText === isStructure) return "either";
  return isText ? "text" : "structure";
}

function fieldAt(root: Tree, [list, ...rest]: NodePath, types: StepTypes): Schema | undefined {
  if (list === undefined || rest.length === 0) return undefined;
  const [index = 0, key, ...below] = rest;
  if (list === "workflow") return schemaAt(workflowSection(), rest);
  if (list === "output") return schemaAt(fileOutput, rest);
  if (list === "tools") return schemaAt(tools, rest);
  if (key === undefined) return undefined;
  if (list === "parallel") return schemaAt(parallelGroup(), [key, ...below]);
  if (list === "for_each" && key !== "agent") return schemaAt(forEachFrame(), [key, ...below]);
  if (list === "for_each") return schemaOfStep(root, [list, index, key], below, types);
  return isStepsKey(String(list)) ? schemaOfStep(root, [list, index], [key, ...below], types) : undefined;
}

function schemaOfStep(root: Tree, at: NodePath, field: NodePath, types: StepTypes): Schema | undefined {
  const tree = treeAt(root, at);
  const step = tree ? treeValue(tree) : undefined;
  const type = isMapping(step) && typeof step.type === "string" ? step.type : "agent";
  return field.length > 0 && Object.hasOwn(types, type) ? schemaAt(types[type]!.schema(), field) : undefined;
}
