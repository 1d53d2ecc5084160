import { type Translation, translate } from "../../steps/patterns/translate.ts";
import type { NodePath } from "../loaded.ts";
import type { OutputField } from "../schema/index.ts";
import { code, defineRule, listed, type RuleContext } from "./rule.ts";

/** The types that each constraint is about. */
const ABOUT: Readonly<Record<string, readonly OutputField["type"][]>> = {
  pattern: ["string"],
  minLength: ["string"],
  maxLength: ["string"],
  minimum: ["number"],
  maximum: ["number"],
  items: ["array"],
  properties: ["object"],
};

export const outputConstraint = defineRule({
  name: "output-constraint",
  severity: "error",
  description:
    "What `output` asks of a field fits the field's type, and its `pattern` is one that can be looked for: Python's dialect in files with `agents:`, RE2's or Python's in others.",
  example: 'output: { score: { type: number, pattern: "^[0-9]+$" } }',
  *check(context) {
    for (const node of context.facts.nodes.all)
      if (node.kind === "step" && "output" in node.step)
        for (const { path, message } of inFields(node.step.output, ["output"], context))
          yield context.about(node, path, message);
  },
});

interface Misfit {
  readonly path: NodePath;
  readonly message: string;
}

function* inFields(
  fields: Readonly<Record<string, OutputField>> | undefined,
  path: NodePath,
  context: RuleContext,
): Generator<Misfit> {
  for (const [name, field] of Object.entries(fields ?? {})) yield* inField(field, [...path, name], name, context);
}

function* inField(field: OutputField, path: NodePath, name: string, context: RuleContext): Generator<Misfit> {
  const { type, enum: values, pattern, items, properties } = field;
  for (const [key, types] of Object.entries(ABOUT))
    if (field[key as keyof OutputField] !== undefined && !types.includes(type))
      yield {
        path: [...path, key],
        message: `${code(key)} is about fields of type ${listed(types)}, and ${code(name)} is of type ${code(type)}. Remove it, or change the type.`,
      };
  const wrong = (values ?? []).filter((value) => typeof value !== type);
  if (wrong.length > 0)
    yield {
      path: [...path, "enum"],
      message: `${code(name)} is of type ${code(type)}, so it can never be ${listed(wrong.map((value) => JSON.stringify(value)))}. Change the type, or the values.`,
    };
  const problem = pattern !== undefined && type === "string" ? problemOf(pattern, context) : undefined;
  if (problem !== undefined)
    yield { path: [...path, "pattern"], message: `The pattern ${code(pattern ?? "")} cannot be used: ${problem}.` };
  if (items) yield* inField(items, [...path, "items"], name, context);
  yield* inFields(properties, [...path, "properties"], context);
}

const known = new Map<string, Translation>();
const MOST_KNOWN = 200;

function problemOf(pattern: string, { workflow }: RuleContext): string | undefined {
  if (workflow.definition.semantics.patterns === "re2" && OF_RE2_ALONE.test(pattern)) return undefined;
  const before = known.get(pattern) ?? translate(pattern);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(pattern, before);
  return before.problem;
}

/** What RE2 reads and Python does not. */
const OF_RE2_ALONE = /\\[QCK]|\(\?[a-z]*U/;
