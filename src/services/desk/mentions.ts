// Every place of a workflow file that names a step, an input, a kind or a file: what definition, references and rename share.
import { dirname, resolve } from "node:path";
import { gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location, NodePath } from "../../language/loaded.ts";
import type { SourceText } from "./text.ts";

export interface Mention {
  readonly what: "step" | "input" | "kind" | "file";
  /** The name; of a file its absolute path. */
  readonly name: string;
  /** The workflow file that a step or an input belongs to; empty for kinds and files, which belong to none. */
  readonly owner: string;
  /** Where it stands: the file, the offset in it, and how many characters it has. */
  readonly file: string;
  readonly start: number;
  readonly length: number;
  readonly isDefinition: boolean;
}

export const isSameName = (one: Mention, other: Mention): boolean =>
  one.what === other.what && one.name === other.name && one.owner === other.owner;

/** `textOf` gives the text of any file: parts of a workflow may stand in files that it takes in. */
export function workflowMentions(workflow: LoadedWorkflow, textOf: (file: string) => SourceText): readonly Mention[] {
  const { definition, positions, children, file: owner } = workflow;
  const facts = gatherFacts(workflow);
  const found: Mention[] = [];
  const add = (
    what: Mention["what"],
    name: string,
    location: Location,
    { of = owner, written = name, isDefinition = false, after = 0 } = {},
  ): void => {
    const text = textOf(location.file);
    let start = text.offset({ line: location.line - 1, character: location.column - 1 }) + after;
    if (/["']/.test(text.text[start] ?? "")) start++;
    // What the environment put there, or an escape, is not written like that.
    if (!text.text.startsWith(written, start)) return;
    if (found.some((one) => one.file === location.file && one.start === start && one.what === what)) return;
    found.push({ what, name, owner: of, file: location.file, start, length: written.length, isDefinition });
  };
  const text = (path: NodePath): Location => positions.inside(path, 1, 1);
  const step = (name: unknown, path: NodePath): void => {
    if (typeof name === "string" && facts.nodes.names.has(name)) add("step", name, text(path));
  };
  const kinds = (words: readonly unknown[], path: NodePath, isDefinition = false): void => {
    for (const [index, word] of words.entries()) kind(word, [...path, index], isDefinition);
  };
  const kind = (word: unknown, path: NodePath, isDefinition = false): void => {
    if (typeof word === "string" && word.includes(".")) add("kind", word, text(path), { of: "", isDefinition });
  };

  for (const { name, path } of facts.nodes.written) add("step", name, text([...path, "name"]), { isDefinition: true });
  step(definition.workflow.entry_point, ["workflow", "entry_point"]);
  const routes = (list: readonly { readonly to?: string; readonly on_error?: unknown }[], path: NodePath): void =>
    list.forEach(({ to, on_error }, index) => {
      step(to, [...path, index, "to"]);
      const at = [...path, index, "on_error"];
      if (Array.isArray(on_error)) kinds(on_error, at);
      else kind(on_error, at);
    });
  routes(definition.workflow.error_routes ?? [], ["workflow", "error_routes"]);
  for (const node of facts.nodes.all) {
    routes(node.routes, [...node.path, "routes"]);
    if (node.kind === "group") {
      if (node.type === "parallel")
        for (const [index, name] of node.members.entries()) step(name, [...node.path, "agents", index]);
      continue;
    }
    const { step: own, path } = node;
    if (own.type === "human_gate")
      for (const [index, { route }] of own.options.entries()) step(route, [...path, "options", index, "route"]);
    if (own.type === "questions") step(own.abort_route, [...path, "abort_route"]);
    if ("raises" in own) kinds(own.raises ?? [], [...path, "raises"], true);
    if ("raise_when" in own)
      for (const [index, rule] of (own.raise_when ?? []).entries())
        kind(rule.kind, [...path, "raise_when", index, "kind"], true);
    if (own.type !== "workflow") continue;
    const child = children.get(own.workflow);
    add("file", resolve(workflow.dir, own.workflow), text([...path, "workflow"]), { of: "", written: own.workflow });
    for (const name of Object.keys(own.input_mapping ?? {}))
      if (child) add("input", name, positions.key([...path, "input_mapping", name]), { of: child.file });
  }
  const inputs = definition.workflow.input ?? {};
  for (const name of Object.keys(inputs))
    add("input", name, positions.key(["workflow", "input", name]), { isDefinition: true });
  const retryable = definition.workflow.resilience?.retry?.retryable ?? [];
  kinds(retryable, ["workflow", "resilience", "retry", "retryable"]);

  for (const { site, path, line, column, inExpression } of facts.reads.all) {
    const [root, second, third] = path;
    const location = positions.inside(site.path, line, column);
    if (typeof root !== "string") continue;
    if (root === "workflow" && second === "input" && typeof third === "string") {
      const written = rest(textOf(location.file), location);
      const before = /^workflow\s*(?:\.\s*input|\[\s*["']input["']\s*\])\s*(?:\.\s*|\[\s*["'])/.exec(written)?.[0]
        .length;
      if (before !== undefined) add("input", third, location, { after: before });
    } else if (facts.nodes.names.has(root)) add("step", root, location);
    else if (inExpression) {
      const flat = /^workflow_input_(\w+)$/.exec(root)?.[1] ?? (root === "workflow_input" ? second : undefined);
      const owners = [...facts.nodes.names].filter((name) =>
        new RegExp(`^${name}_(?:output|outputs|error|errors)(?:_|$)`).test(root),
      );
      const name = owners.sort((a, b) => b.length - a.length)[0];
      if (typeof flat === "string") add("input", flat, location, { after: "workflow_input_".length });
      else if (name !== undefined) add("step", name, location);
    }
  }
  for (const [file, source] of workflow.sources) found.push(...includes(file, source));
  return found;
}

const rest = (text: SourceText, { line, column }: Location): string =>
  text.text.slice(text.offset({ line: line - 1, character: column - 1 }));

/** `!file prompts/review.md`. */
const INCLUDE = /(!file\s+["']?)([^\s"'#,}\]]+)/g;

const includes = (file: string, source: string): readonly Mention[] =>
  /\.ya?ml$/.test(file)
    ? [...source.matchAll(INCLUDE)].map(({ index, 1: tag = "", 2: name = "" }) => ({
        what: "file",
        name: resolve(dirname(file), name),
        owner: "",
        file,
        start: index + tag.length,
        length: name.length,
        isDefinition: false,
      }))
    : [];

/** The files of a workflow and all that it calls, by the names of their steps: the nearest file of a name wins. */
export function ownersOf(root: LoadedWorkflow): ReadonlyMap<string, LoadedWorkflow> {
  const owners = new Map<string, LoadedWorkflow>();
  const seen = new Set<string>();
  for (let queue = [root]; queue.length > 0; ) {
    const next: LoadedWorkflow[] = [];
    for (const member of queue) {
      if (seen.has(member.file)) continue;
      seen.add(member.file);
      for (const name of gatherFacts(member).nodes.names) if (!owners.has(name)) owners.set(name, member);
      next.push(...member.children.values());
    }
    queue = next;
  }
  return owners;
}
