// Definition, references and rename: over workflows, scenarios, evals and projects together.

import { basename, dirname, resolve } from "node:path";
import {
  type Location,
  type Position,
  type Range,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { ENGINE_PREFIXES, isEngineKind, isKind } from "../../../base/errors/index.ts";
import { isMapping } from "../../../base/errors/mapping.ts";
import { gatherFacts } from "../../../language/analysis/index.ts";
import type { Finding } from "../../../language/loaded.ts";
import { datasetMentions, isSameName, type Mention, testMentions, workflowMentions } from "../mentions.ts";
import { plainAt, plainYaml } from "./cursor.ts";
import type { Desk } from "./desk.ts";

/** Every name in one file of ours. Names in files that a workflow takes in come with the workflow. */
export function mentionsIn(desk: Desk, path: string): readonly Mention[] {
  const kind = desk.kindOf(path);
  if (!kind) return [];
  if (kind === "workflow") {
    const { workflow } = desk.check(path) ?? {};
    return workflow ? workflowMentions(workflow, (file) => desk.text(file)) : [];
  }
  const { text } = desk.text(path);
  const root = kind === "project" ? plainYaml(text) : undefined;
  const tested = kind === "project" ? undefined : desk.workflowOf(path);
  return testMentions({
    path,
    kind,
    text,
    workflowAt(at) {
      if (kind !== "project") return tested === undefined ? undefined : desk.workflow(tested);
      const trigger =
        at[0] === "triggers" && typeof at[1] === "number" ? plainAt(root, ["triggers", at[1]]) : undefined;
      const file = isMapping(trigger) ? trigger.workflow : undefined;
      return typeof file === "string" ? desk.workflow(resolve(dirname(path), file)) : undefined;
    },
  });
}

export function mentionAt(desk: Desk, path: string, position: Position): Mention | undefined {
  const offset = desk.text(path).offset(position);
  return mentionsIn(desk, path).find(
    ({ file, start, length }) => file === path && offset >= start && offset <= start + length,
  );
}

/** The same name, wherever it stands. Kinds are found by routes with a pattern as well, but those are not the name itself. */
function mentionsOf(desk: Desk, wanted: Mention): readonly Mention[] {
  const files = desk.files().map(({ path }) => path);
  const all = [...new Set([wanted.file, ...files])].flatMap((path) => mentionsIn(desk, path));
  if (wanted.what === "input") all.push(...rowsOf(desk, wanted.owner));
  const seen = new Set<string>();
  return all.filter((one) => {
    const place = `${one.file} ${one.start}`;
    if (!isSameName(one, wanted) || seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/** Rows are looked through only for an input: a dataset may be long. */
function rowsOf(desk: Desk, workflow: string): readonly Mention[] {
  return desk.testsOf(workflow).flatMap(({ path, kind }) => {
    const root = kind === "eval" ? plainYaml(desk.text(path).text) : undefined;
    if (!isMapping(root) || typeof root.dataset !== "string") return [];
    const file = resolve(dirname(path), root.dataset);
    return datasetMentions(file, desk.text(file).text, workflow);
  });
}

export const mentionRange = (desk: Desk, { file, start, length }: Mention): Range =>
  desk.text(file).range(start, start + length);

const locationsOf = (desk: Desk, wanted: Mention, isMeant: (one: Mention) => boolean): readonly Location[] =>
  mentionsOf(desk, wanted)
    .filter(isMeant)
    .map((one) => ({ uri: desk.uriOf(one.file), range: mentionRange(desk, one) }));

export function definitionsAt(desk: Desk, path: string, position: Position): readonly Location[] {
  const wanted = mentionAt(desk, path, position);
  if (!wanted) return [];
  if (wanted.what === "file") return [{ uri: desk.uriOf(wanted.name), range: START }];
  return locationsOf(desk, wanted, ({ isDefinition }) => isDefinition);
}

export const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function referencesTo(
  desk: Desk,
  path: string,
  position: Position,
  withDefinition: boolean,
): readonly Location[] {
  const wanted = mentionAt(desk, path, position);
  return wanted ? locationsOf(desk, wanted, ({ isDefinition }) => withDefinition || !isDefinition) : [];
}

export function renameRange(desk: Desk, path: string, position: Position): Range | null {
  const wanted = mentionAt(desk, path, position);
  if (!wanted || wanted.what === "file" || (wanted.what === "kind" && isEngineKind(wanted.name))) return null;
  return mentionRange(desk, wanted);
}

/** The name in all files together; refused where the new one would not do. */
export function rename(desk: Desk, path: string, position: Position, name: string): WorkspaceEdit {
  const wanted = mentionAt(desk, path, position);
  if (!wanted) throw refused("There is no step, input or kind here to rename.");
  const reason = whyNot(desk, wanted, name);
  if (reason !== undefined) throw refused(reason);
  const mentions = mentionsOf(desk, wanted);
  const edits = new Map<string, TextEdit[]>();
  for (const one of mentions)
    edits.set(one.file, [...(edits.get(one.file) ?? []), { range: mentionRange(desk, one), newText: name }]);
  const broken = brokenBy(desk, mentions, name);
  if (broken)
    throw refused(`With \`${name}\` there would be an error in ${basename(broken.location.file)}: ${broken.message}`);
  return desk.edit(edits);
}

/** The first error that a file has only with the new name: words of templates are no names, for one. */
function brokenBy(desk: Desk, mentions: readonly Mention[], name: string): Finding | undefined {
  const texts = new Map<string, string>();
  for (const { file, start, length } of [...mentions].sort((a, b) => b.start - a.start)) {
    const text = texts.get(file) ?? desk.text(file).text;
    texts.set(file, text.slice(0, start) + name + text.slice(start + length));
  }
  for (const file of texts.keys()) {
    const after = desk.errorsWith(file, texts);
    if (after.length > desk.errorsWith(file, new Map()).length) return after[0];
  }
  return undefined;
}

const INVALID_PARAMS = -32602;
const refused = (message: string): ResponseError => new ResponseError(INVALID_PARAMS, message);

function whyNot(desk: Desk, { what, name: old, owner }: Mention, name: string): string | undefined {
  if (what === "file") return "Files are renamed in the explorer; the paths that name them are then marked as missing.";
  if (what === "kind") {
    if (isEngineKind(old)) return `\`${old}\` is a kind of the engine. Only your own kinds can be renamed.`;
    if (!isKind(name))
      return `\`${name}\` is not a kind: lower-case letters, digits and underscores, with at least one dot.`;
    return isEngineKind(name) ? `Kinds of your own do not begin with ${ENGINE_PREFIXES.join(", ")}.` : undefined;
  }
  if (!/^[A-Za-z_]\w*$/.test(name))
    return `\`${name}\` cannot be said in a template: use letters, digits and underscores, beginning with a letter.`;
  const workflow = desk.workflow(owner);
  const { nodes } = workflow ? gatherFacts(workflow) : { nodes: undefined };
  const taken =
    what === "step" ? nodes?.names.has(name) : Object.hasOwn(workflow?.definition.workflow.input ?? {}, name);
  if (taken) return `There is already ${what === "step" ? "a step or group" : "an input"} \`${name}\`.`;
  return RESERVED.has(name) && what === "step" ? `\`${name}\` means something else in templates.` : undefined;
}

const RESERVED: ReadonlySet<string> = new Set(
  "workflow context output error result loop true false none and or not in is if else".split(" "),
);
