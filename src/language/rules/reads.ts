// What rules ask of one read: what it names that cannot exist, where moved changes are read now, and what explicit mode
// hides from it.

import { ENVELOPE_FIELDS } from "../../base/errors/index.ts";
import { stepTypeOf } from "../../steps/types.ts";
import { parseDotted, type Read } from "../analysis/facts.ts";
import { resolveNode } from "../analysis/named-reads.ts";
import {
  closest,
  code,
  didYouMean,
  dotted,
  isIdentifier,
  listed,
  type RuleContext,
  toIdentifier,
  wordsOf,
} from "./rule.ts";

const ROOTS: Readonly<Record<string, readonly string[]>> = {
  workflow: ["input", "name", "description", "dir", "file"],
  context: ["iteration", "history"],
};
const STEP_PARTS = ["output", "error"];
const GROUP_PARTS = ["outputs", "errors", "count", "failed", "succeeded", "type", "error"];
const ENVELOPE: readonly string[] = ENVELOPE_FIELDS;

export interface Unresolved {
  readonly message: string;
  readonly suggestions: readonly string[];
  /** A single unknown word in a template, such as `{{ changes }}`. */
  readonly lone?: true;
}

type Path = readonly (string | number)[];

/** The path with another word at one place, as it would be written. */
const withWord = (path: Path, at: number, words: readonly string[]): readonly string[] =>
  words.map((word) => dotted(path.map((part, index) => (index === at ? word : part))));

function unknownRoot({ path, site, inExpression }: Read, { facts, workflow }: RuleContext): Unresolved {
  const root = String(path[0]);
  if (root === "output")
    return {
      message:
        "`output` is a step's own result and is in scope only in its routes and `raise_when`. Read `<step>.output` here.",
      suggestions: [],
    };
  const lone = path.length === 1 && !inExpression && site.dialect === "template" ? { lone: true as const } : {};
  if (Object.hasOwn(workflow.definition.workflow.input ?? {}, root)) {
    const meant = `workflow.input.${dotted(path)}`;
    return {
      message: `There is no name ${code(root)} in scope here; the input is read as ${code(meant)}.`,
      suggestions: [meant],
      ...lone,
    };
  }
  const dashed = [...facts.nodes.names].find((name) => isPartOf(root, name, site.source));
  if (dashed !== undefined) {
    const meant = dotted([toIdentifier(dashed), ...path.slice(1)]);
    return {
      message: `A template cannot say ${code(dashed)}: it reads a dash as a minus, and finds no ${code(root)}. Rename the step to ${code(toIdentifier(dashed))}, and read ${code(meant)}.`,
      suggestions: [meant],
      ...lone,
    };
  }
  const suggestions = withWord(path, 0, closest(root, [...facts.nodes.names, ...Object.keys(ROOTS), ...site.locals]));
  const bare = inExpression && site.node !== null && site.bare.length > 0;
  const field = bare ? `, nor a field of what ${code(site.node ?? "")} gives` : "";
  return {
    message: `There is no step, group or name ${code(root)} in scope here${field}.${didYouMean(suggestions)}`,
    suggestions,
    ...lone,
  };
}

/** Whether a text says the name of a step that is no name to a template, and this word is the end of it. */
const isPartOf = (word: string, name: string, text: string): boolean =>
  !isIdentifier(name) && wordsOf(name).at(-1) === word && text.includes(name);

function unknownInput(path: Path, { workflow }: RuleContext): Unresolved | undefined {
  const inputs = workflow.definition.workflow.input;
  const name = path[2];
  if (!inputs || typeof name !== "string" || Object.hasOwn(inputs, name)) return undefined;
  if (["items", "keys", "values", "get"].includes(name)) return undefined;
  const known = Object.keys(inputs);
  const suggestions = withWord(path, 2, closest(name, known));
  return {
    message: `The workflow has no input ${code(name)}.${didYouMean(suggestions)} ${known.length > 0 ? `Its inputs are ${listed(known, "and")}; to` : "To"} add one, declare it under \`workflow.input\`.`,
    suggestions,
  };
}

/** Whether a bare word of a condition may be a field of the envelope or of the step's output. */
export function mayBeBareField(read: Read, word: string, { facts }: RuleContext): boolean {
  const { site } = read;
  if (!read.inExpression) return false;
  if (site.bare.includes("error") && ENVELOPE.includes(word)) return true;
  if (!site.bare.includes("output")) return false;
  if (/^(?:output|error|workflow|context)_/.test(word)) return true;
  const shape = site.node === null ? undefined : facts.shape(site.node);
  return shape === undefined || shape.kind !== "object" || !shape.exact || shape.fields.has(word);
}

/** The reads without a guard that cannot be satisfied, and why. */
export function* unresolvedReads(context: RuleContext): Generator<Unresolved & { readonly read: Read }> {
  for (const read of context.facts.reads.all) {
    const why = read.guarded ? undefined : unresolved(read, context);
    if (why) yield { read, ...why };
  }
}

/** Why a read cannot be satisfied, or nothing when it can be, or when that is not known. */
function unresolved(read: Read, context: RuleContext): Unresolved | undefined {
  const { facts } = context;
  const { path, site } = read;
  const [root, second] = path;
  if (typeof root !== "string" || site.locals.includes(root)) return undefined;
  const named = resolveNode(read, facts);
  if (named) {
    const node = facts.nodes.get(named.name);
    // `input: [planner.score]` is short for planner.output.score, so anything may follow there.
    if (!node || typeof named.part !== "string" || site.role === "input") return undefined;
    const parts = [
      ...(node.kind === "group" ? GROUP_PARTS : STEP_PARTS),
      ...(facts.hasChanges(node) ? ["changes", "denied"] : []),
    ];
    if (parts.includes(named.part)) return undefined;
    const near = withWord(path, 1, closest(named.part, parts));
    const fixed = node.kind === "group" || near.length > 0 ? near : [dotted([root, "output", ...path.slice(1)])];
    return {
      message: `${code(named.name)} has no ${code(named.part)}: a ${node.kind === "group" ? `${node.type} group` : "step"} has ${listed(parts, "and")}.${didYouMean(fixed)}`,
      suggestions: fixed,
    };
  }
  const parts = Object.hasOwn(ROOTS, root) ? ROOTS[root] : undefined;
  if (parts) {
    if (root === "workflow" && second === "input") return unknownInput(path, context);
    if (typeof second !== "string" || parts.includes(second)) return undefined;
    const suggestions = withWord(path, 1, closest(second, parts));
    return {
      message: `${code(root)} has no ${code(second)}; it has ${listed(parts, "and")}.${didYouMean(suggestions)}`,
      suggestions,
    };
  }
  // Another rule knows more about `error` where no error leads.
  if (root === "error" || mayBeBareField(read, root, context)) return undefined;
  return unknownRoot(read, context);
}

export interface MovedChanges {
  /** The agent whose changes are meant. */
  readonly owner: string;
  readonly instead: Path;
}

/** Nothing where the output has a field of that name, or the step none of its own. */
export function movedChanges(read: Read, { facts }: RuleContext): MovedChanges | undefined {
  const found = namedIn(read, facts);
  const node = found && facts.nodes.get(found.owner);
  if (node?.kind !== "step" || node.step.type !== "agent" || !facts.hasChanges(node)) return undefined;
  return Object.hasOwn(node.step.output ?? {}, "changes") ? undefined : found;
}

/** Of a step that only runs as a member they are kept under its group. */
export function placeOfChanges(name: string, { nodes, graph }: RuleContext["facts"], part = "changes"): Path {
  const node = nodes.get(name);
  if (node?.kind !== "step" || !graph.onlyMember(name)) return [name, part];
  return [node.groups[0] ?? "", part, ...(node.inline ? [] : [name])];
}

function namedIn(read: Read, facts: RuleContext["facts"]): MovedChanges | undefined {
  const { path, site } = read;
  if (path[0] === "output" && site.locals.includes("output"))
    return site.node !== null && path[1] === "changes"
      ? { owner: site.node, instead: ["changes", ...path.slice(2)] }
      : undefined;
  const named = resolveNode(read, facts);
  const node = named && facts.nodes.get(named.name);
  if (!named || !node) return undefined;
  const { name, part, rest } = named;
  if (node.kind === "step")
    return part === "output" && rest[0] === "changes"
      ? { owner: name, instead: [...placeOfChanges(name, facts), ...rest.slice(1)] }
      : undefined;
  const [key, field, ...more] = rest;
  if (part !== "outputs" || key === undefined || field !== "changes") return undefined;
  const owner = node.type === "for_each" ? node.group.agent.name : String(key);
  return { owner, instead: [name, "changes", String(key), ...more] };
}

/** `a.score` is short for `a.output.score`; an error comes in whole, whatever part of it is named. */
function spelledOut([root, part, ...rest]: Path, hasChanges: (name: string) => boolean): Path {
  if (root === undefined || part === undefined) return root === undefined ? [] : [root];
  if (root === "workflow" || ["output", "outputs", "errors", "count"].includes(String(part)))
    return [root, part, ...rest];
  if ((part === "changes" || part === "denied") && hasChanges(String(root))) return [root, part, ...rest];
  return part === "error" ? [root, part] : [root, "output", part, ...rest];
}

const overlaps = (a: Path, b: Path): boolean => a.slice(0, b.length).every((part, index) => part === b[index]);

/** The reads of a file that explicit mode would leave undefined. */
export function* uncoveredReads(context: RuleContext): Generator<Read & { readonly reader: string }> {
  const { facts, workflow } = context;
  if (workflow.definition.workflow.context?.mode !== "explicit") return;
  const hasChanges = (name: string): boolean => {
    const named = facts.nodes.get(name);
    return named !== undefined && facts.hasChanges(named);
  };
  for (const read of facts.reads.all) {
    const { site, path, guarded } = read;
    if (!site.narrowed || guarded || site.node === null) continue;
    const node = facts.nodes.get(site.node);
    const [root, second] = path;
    if (node?.kind !== "step" || typeof root !== "string" || site.locals.includes(root)) continue;
    const isInput = root === "workflow" && second === "input" && stepTypeOf(node).inputsByName;
    if (!isInput && !facts.nodes.names.has(root)) continue;
    const given = (node.step.input ?? []).flatMap((written) => {
      const parsed = parseDotted(written);
      return parsed ? [spelledOut(parsed, hasChanges)] : [];
    });
    if (!given.some((declared) => overlaps(path, declared))) yield { ...read, reader: site.node };
  }
}
