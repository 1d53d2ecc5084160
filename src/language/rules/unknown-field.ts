import { ENVELOPE_FIELDS } from "../../base/errors/index.ts";
import { methodNames } from "../../template/methods/methods.ts";
import type { Read } from "../analysis/facts.ts";
import { resolveNode } from "../analysis/named-reads.ts";
import { type Miss, missIn } from "../analysis/shapes.ts";
import { movedChanges } from "./reads.ts";
import { closest, code, defineRule, didYouMean, dotted, listed, type RuleContext } from "./rule.ts";

interface MissingField extends Miss {
  readonly owner: string;
  /** Where in the read's path the missing part stands. */
  readonly at: number;
}

const ENVELOPE: ReadonlySet<string> = new Set(ENVELOPE_FIELDS);

function missingField(read: Read, { facts }: RuleContext): MissingField | undefined {
  const { path, site } = read;
  const look = (owner: string, fields: readonly (string | number)[]): MissingField | undefined => {
    const miss = missIn(facts.shape(owner), fields);
    return miss && { ...miss, owner, at: path.length - fields.length + miss.depth };
  };
  const [root] = path;
  if (typeof root !== "string") return undefined;
  if (root === "output" && site.locals.includes("output"))
    return site.node === null ? undefined : look(site.node, path.slice(1));
  if (site.locals.includes(root)) return undefined;
  const named = resolveNode(read, facts);
  if (named) {
    const group = facts.nodes.get(named.name)?.kind === "group";
    // That a group has no such part at all is an error, and said by another rule.
    if (group) return named.part === "outputs" ? look(named.name, ["outputs", ...named.rest]) : undefined;
    return named.part === "output" ? look(named.name, named.rest) : undefined;
  }
  if (!read.inExpression || site.node === null || !site.bare.includes("output")) return undefined;
  if (["workflow", "context", "error"].includes(root) || /^(?:output|error|workflow|context)_/.test(root))
    return undefined;
  if (site.bare.includes("error") && ENVELOPE.has(root)) return undefined;
  const miss = look(site.node, path);
  // With an exact shape the bare name cannot exist at all, which is an error of its own.
  return miss && !(miss.exact && miss.depth === 0) ? miss : undefined;
}

/** What a text, a number and so on have that a template can name after a dot. */
const EMPTY_VALUES = { string: "", number: 0, boolean: false, array: [] } as const;

/** A read of a field that no value of the input's type has, as far as types say. */
function missingInInput({ path }: Read, { workflow }: RuleContext): string | undefined {
  const [root, part, name, field] = path;
  if (root !== "workflow" || part !== "input" || typeof name !== "string" || field === undefined) return undefined;
  const inputs = workflow.definition.workflow.input ?? {};
  const type = Object.hasOwn(inputs, name) ? inputs[name]?.type : undefined;
  if (type === undefined || !Object.hasOwn(EMPTY_VALUES, type)) return undefined;
  const value = EMPTY_VALUES[type as keyof typeof EMPTY_VALUES];
  const isThere =
    typeof field === "number" ? type === "string" || type === "array" : methodNames(value).includes(field);
  return isThere ? undefined : type;
}

export const unknownField = defineRule({
  name: "unknown-field",
  severity: "warning",
  description:
    "A field that is read from a step's output is one that its `output` schema lists, or that its type always gives. An input that is declared as text, a number, a boolean or a list has no fields.",
  example: 'output: { score: { type: number } }\nroutes:\n  - { to: publish, when: "{{ output.scroe > 5 }}" }',
  *check(context) {
    for (const read of context.facts.reads.all) {
      if (read.guarded || movedChanges(read, context)) continue;
      const type = missingInInput(read, context);
      if (type) {
        const { path } = read;
        yield context.inText(
          read,
          `${code(dotted(path.slice(0, 3)))} is ${type === "array" ? "an" : "a"} ${type} and has no field ${code(String(path[3]))}. Read the input itself, or declare it with ${code("type: object")}.`,
          { suggestions: [dotted(path.slice(0, 3))] },
        );
        continue;
      }
      const miss = missingField(read, context);
      if (!miss) continue;
      const { path } = read;
      const words = closest(miss.missing, miss.known);
      const suggestions = words.map((word) => dotted(path.map((part, index) => (index === miss.at ? word : part))));
      const whose = miss.exact ? "What it gives is" : "Its `output` schema lists";
      yield context.inText(
        read,
        `${code(miss.owner)} is not known to give ${code(miss.missing)}. ${whose} ${listed(miss.known, "and", 12)}.${didYouMean(suggestions)}`,
        { suggestions },
      );
    }
  },
});
