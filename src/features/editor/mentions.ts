// Every place that names a step, an input, a kind or a file, in workflows, scenarios, evals and projects: what
// definition, references and rename share.
import { dirname, resolve } from "node:path";
import { stepsNamedIn } from "../../base/events/asker-name.ts";
import { gatherFacts } from "../../language/analysis/index.ts";
import { type LoadedWorkflow, type Location, type NodePath, retriedKindsPath } from "../../language/loaded.ts";
import { yamlLibrary } from "../../language/tree.ts";
import type { FileKind } from "./project-files.ts";
import { parsedYaml, type SourceText } from "./text.ts";

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
  kinds(retryable, retriedKindsPath(workflow));

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

/** `!file prompts/review.md`, `!yamlfile steps.yaml`. */
const INCLUDE = /(!(?:yaml)?file\s+["']?)([^\s"'#,}\]]+)/g;

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
function ownersOf(root: LoadedWorkflow): ReadonlyMap<string, LoadedWorkflow> {
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

interface Written {
  readonly path: NodePath;
  readonly isKey: boolean;
  readonly value: string;
  readonly start: number;
}

/** Lists of steps that a run is expected to go through. */
const STEP_LISTS: ReadonlySet<unknown> = new Set([
  "agents_executed",
  "scripts_executed",
  "gates_presented",
  "routes_taken",
  "live",
  "live_agents",
  "trace",
]);
/** Mappings whose keys are steps. */
const BY_STEP: ReadonlySet<unknown> = new Set([
  "agent_scripts",
  "gates",
  "questions",
  "gates_resolved",
  "gates_reminded",
]);
const STEP_FIELDS: ReadonlySet<unknown> = new Set(["step", "node", "until", "reached_terminal"]);
const FILE_FIELDS: ReadonlySet<unknown> = new Set([
  "workflow",
  "extends",
  "fixtures",
  "dataset",
  "scenario",
  "triggers",
]);

interface TestFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly text: string;
  /** The workflow that it is for. A project has one for each trigger. */
  workflowAt(path: NodePath): LoadedWorkflow | undefined;
}

export function testMentions({ path: file, kind, text, workflowAt }: TestFile): readonly Mention[] {
  const found: Mention[] = [];
  const add = (what: Mention["what"], name: string, owner: string, start: number, length: number): void => {
    found.push({ what, name, owner, file, start, length, isDefinition: false });
  };
  for (const { path, isKey, value, start } of scalarsOf(text)) {
    const last = path.at(-1);
    const field = typeof last === "number" ? path.at(-2) : last;
    const workflow = workflowAt(path);
    const holder = path.at(-2);
    if (isKey) {
      const isInput = holder === "inputs" && (kind === "project" ? path[0] === "triggers" : path.length === 2);
      if (isInput && workflow) add("input", value, workflow.file, start, value.length);
      if (BY_STEP.has(holder) && workflow) steps(value, start, workflow);
      // `classify.prompt`: a value of the workflow file, of a step or of the file itself.
      if (holder === "set" && workflow) steps(value.split(".", 1)[0] ?? "", start, workflow);
      continue;
    }
    if (FILE_FIELDS.has(field) && /\.\w+$/.test(value))
      add("file", resolve(dirname(file), value), "", start, value.length);
    else if (last === "kind" || path.includes("no_errors")) add("kind", value, "", start, value.length);
    else if (workflow && (STEP_LISTS.has(field) || STEP_FIELDS.has(last))) steps(value, start, workflow);
  }
  return found;

  /** `release/each[eu].ask` names three steps, `build -> publish` two. */
  function steps(value: string, start: number, root: LoadedWorkflow): void {
    const owners = ownersOf(root);
    const names = owners.has(value) ? [value] : value.split(/\s*(?:->|→)\s*/).flatMap(stepsNamedIn);
    let from = 0;
    for (const name of names) {
      const at = value.indexOf(name, from);
      const owner = owners.get(name);
      if (at < 0 || !owner) continue;
      add("step", name, owner.file, start + at, name.length);
      from = at + name.length;
    }
  }
}

/** The inputs that the rows of an eval's dataset give, for a workflow file. */
export function datasetMentions(file: string, text: string, owner: string): readonly Mention[] {
  const input = (name: string, start: number): Mention => ({
    what: "input",
    name,
    owner,
    file,
    start,
    length: name.length,
    isDefinition: false,
  });
  if (file.endsWith(".csv")) {
    const [header = ""] = text.split("\n", 1);
    return [...header.matchAll(/[A-Za-z_]\w*(?:\.\w+)?/g)].map(({ 0: name, index }) => input(name, index));
  }
  const isRow = (path: NodePath): boolean => path.at(-2) === "inputs" && path.length === (isLines ? 2 : 3);
  const isLines = /\.(?:jsonl|ndjson)$/.test(file);
  let from = 0;
  return (isLines ? text.split("\n") : [text]).flatMap((part) => {
    const offset = from;
    from += part.length + 1;
    const keys = scalarsOf(part).filter(({ path, isKey }) => isKey && isRow(path));
    return keys.map(({ value, start }) => input(value, offset + start));
  });
}

function scalarsOf(text: string): readonly Written[] {
  const { visit, isPair, isScalar, isSeq } = yamlLibrary();
  const found: Written[] = [];
  visit(parsedYaml(text), {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== "string" || !node.range) return;
      const path: (string | number)[] = [];
      const chain: readonly unknown[] = [...ancestors, node];
      chain.forEach((one, index) => {
        if (isPair(one)) path.push(isScalar(one.key) ? String(one.key.value) : "");
        else if (isSeq(one)) path.push(one.items.indexOf(chain[index + 1] as never));
      });
      const quote = node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE" ? 1 : 0;
      found.push({ path, isKey: key === "key", value: node.value, start: node.range[0] + quote });
    },
  });
  return found;
}
