// What a read names that cannot exist: a step, an input, a part of a step, a name. Two rules tell of it, one for each
// severity.
import { ENVELOPE_FIELDS } from "../../errors/index.ts";
import type { Read } from "../analysis/reads.ts";
import { resolveNode } from "./resolve-read.ts";
import type { RuleContext } from "./rule.ts";
import { closest, code, didYouMean, dotted, isSayable, listed, toIdentifier, wordsOf } from "./wording.ts";

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
  !isSayable(name) && wordsOf(name).at(-1) === word && text.includes(name);

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

/** Why a read cannot be satisfied, or nothing when it can be, or when that is not known. */
export function unresolved(read: Read, context: RuleContext): Unresolved | undefined {
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
