// docs/reference.md: the whole language from its schemas, and the rules that files are held against.
import type * as z from "zod";
import { RULES } from "../../src/language/rules/index.ts";
import { forEachGroup, parallelGroup, workflowFile } from "../../src/language/schema/index.ts";
import { ABOUT_LISTS } from "../../src/language/schema/names.ts";
import { choicesOf, defOf, metaOf, shapeOf, unwrap } from "../../src/language/schema-at.ts";
import { cache, named, outputField, raiseWhen, route, routed } from "../../src/steps/schema/fields.ts";
import { provider } from "../../src/steps/schema/provider.ts";
import { STEP_TYPES, type StepTypeName } from "../../src/steps/types.ts";
import { LOADING_RULES } from "./loading-rules.ts";
import { anchor, capital, code, fence, generated, paragraphs, table } from "./markdown.ts";
import { FOR_EACH_EXAMPLE, PARALLEL_EXAMPLE, STEP_EXAMPLES } from "./step-examples.ts";
import { defaultOf, sharedId, typeOf } from "./type-text.ts";

type Schema = z.core.$ZodType;
type Fields = Readonly<Record<string, Schema>>;

/** The mappings with fields of their own that a field leads to, and how the path to them is written. */
function nested(name: string, schema: Schema): readonly (readonly [string, Fields, Schema])[] {
  if (sharedId(schema) || name === "cache") return [];
  const bare = unwrap(schema);
  const { element, valueType } = defOf(bare);
  if (element) return nested(`${name}[]`, element);
  if (valueType) return nested(`${name}.<name>`, valueType);
  return choicesOf(bare).flatMap((choice) => {
    const shape = shapeOf(choice);
    return shape && Object.keys(shape).length > 0 ? [[name, shape, choice] as const] : [];
  });
}

const example = (schema: Schema, { examples = [] }: ReturnType<typeof metaOf>): string =>
  examples.length > 0 && typeOf(schema) !== "duration" ? ` Example: ${code(JSON.stringify(examples[0]))}.` : "";

function row([name, schema]: readonly [string, Schema]): readonly string[] {
  const meta = metaOf(schema);
  const what = [meta.description, meta.unsupported && `Has no effect: ${meta.unsupported}.`].filter(Boolean).join(" ");
  return [code(name), typeOf(schema), defaultOf(schema), `${what}${example(schema, meta)}`];
}

const fieldTable = (fields: Fields): string =>
  table(["field", "takes", "default", "what"], Object.entries(fields).map(row));

/** A table of fields, then one section for each mapping inside; mappings that are the same share one. */
function section(level: number, title: string, fields: Fields, prefix = "", intro?: string): string {
  const inside = new Map<string, { readonly paths: string[]; readonly fields: Fields; readonly about: string }>();
  for (const [name, schema] of Object.entries(fields))
    for (const [path, inner] of nested(name, schema)) {
      const key = fieldTable(inner);
      const known = inside.get(key);
      if (known) known.paths.push(`${prefix}${path}`);
      else inside.set(key, { paths: [`${prefix}${path}`], fields: inner, about: metaOf(schema).description ?? "" });
    }
  return paragraphs(
    `${"#".repeat(level)} ${title}`,
    intro,
    fieldTable(fields),
    ...[...inside.values()].map(({ paths, fields: inner, about }) =>
      section(
        Math.min(level + 1, 5),
        paths.map(code).join(", "),
        inner,
        `${paths[0]}.`,
        paths.length === 1 ? about : "",
      ).trimEnd(),
    ),
  );
}

const without = (fields: Fields, left: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in left)));

const shape = (schema: Schema): Fields => shapeOf(schema) ?? {};

function stepType([type, { schema, description, output }]: readonly [
  string,
  (typeof STEP_TYPES)[StepTypeName],
]): string {
  const all = shape(schema());
  const own = without(all, { ...routed, ...(type === "terminate" ? named : {}), type: all.type as Schema });
  const missing = Object.keys(routed).filter((name) => !(name in all));
  const intro = [
    `${capital(description)}.${type === "agent" ? " The type when none is written." : ""} Its output is ${output}.`,
    missing.length > 0 ? `It has no ${missing.map(code).join(", ")}.` : "",
  ];
  const example = STEP_EXAMPLES[type as StepTypeName];
  const shown = example === undefined ? [] : [fence("yaml", example.trim())];
  return section(3, code(`type: ${type}`), own, "", paragraphs(intro.filter(Boolean).join(" "), ...shown).trimEnd());
}

const severityOf = ({ severity, mayWarn }: (typeof RULES)[number]): string => (mayWarn ? "error or warning" : severity);

function rules(): string {
  const all = [...RULES].sort((a, b) => a.name.localeCompare(b.name));
  return paragraphs(
    "## Rules",
    "`segno validate` and `segno run` hold a file against all of these before the first step. Every finding names its rule, its place and what to do. Errors stop a run; warnings do not, unless `validate --strict` is asked.",
    "### What loading finds",
    table(
      ["rule", "", "what"],
      Object.entries(LOADING_RULES).map(([name, [severity, what]]) => [code(name), severity, what]),
    ),
    "### What the rules of meaning find",
    table(
      ["rule", "", "what"],
      all.map((rule) => [`[${code(rule.name)}](#${anchor(rule.name)})`, severityOf(rule), rule.description]),
    ),
    ...all.flatMap((rule) => [
      paragraphs(
        `#### ${code(rule.name)}`,
        `${capital(severityOf(rule))}. ${rule.description}${rule.example ? " For example, it reports:" : ""}`,
        rule.example && fence("yaml part", rule.example),
      ).trimEnd(),
    ]),
  );
}

export function referencePage(): string {
  const file = shape(workflowFile());
  const { workflow, ...top } = file;
  const steps = (top.agents as z.ZodType).describe(ABOUT_LISTS.steps);
  const settings = nested("workflow.runtime.provider", unwrapProvider())[0]?.[1] ?? {};
  return paragraphs(
    generated("src/language/schema and src/language/rules"),
    "# The workflow file",
    "Look up every key that a workflow file may have: what it takes, its default, and what it does. `segno schema` prints the same as JSON Schema, for [editors](editor.md). Unknown keys are refused, with the nearest name that exists.",
    "Durations are a number of seconds, or `500ms`, `30s`, `2m`, `1h`, `1d`. *Text* also takes numbers and booleans as they are written. What templates can do is in [templates.md](templates.md), and what Segno's words mean in [words.md](words.md).",
    "## Top level",
    fieldTable({ workflow, steps, ...top } as typeof file),
    section(2, code("workflow"), shape(workflow as Schema), "workflow.").trimEnd(),
    section(
      3,
      code("workflow.runtime.provider"),
      settings,
      "",
      "Also `provider` of an agent. A name alone will do.",
    ).trimEnd(),
    "## Steps",
    paragraphs(
      "`steps` (in files for Conductor `agents`) is a list of these. Each type has its own fields; a field of another type is refused with a sentence that says where it belongs.",
      table(
        ["type", "what", "`<step>.output`"],
        Object.entries(STEP_TYPES).map(([type, { description, output }]) => [
          `[${code(type)}](#${anchor(`type: ${type}`)})`,
          description,
          output,
        ]),
      ),
    ).trimEnd(),
    section(3, "Fields of every step", routed).trimEnd(),
    section(3, code("cache"), cacheFields, "", metaOf(cache).description).trimEnd(),
    ...Object.entries(STEP_TYPES).map((entry) => stepType(entry).trimEnd()),
    "## Groups",
    "A group is a step whose members run at the same time. Members may be of any type but `terminate`; in a `parallel` no `human_gate` and no `questions` either.",
    section(
      3,
      code("parallel[]"),
      shape(parallelGroup()),
      "parallel[].",
      paragraphs(top.parallel && metaOf(top.parallel).description, fence("yaml", PARALLEL_EXAMPLE.trim())).trimEnd(),
    ).trimEnd(),
    section(
      3,
      code("for_each[]"),
      shape(forEachGroup()),
      "for_each[].",
      paragraphs(top.for_each && metaOf(top.for_each).description, fence("yaml", FOR_EACH_EXAMPLE.trim())).trimEnd(),
    ).trimEnd(),
    "Both give `{type, outputs, errors, count, failed, succeeded}`, read as `<group>.outputs` and so on:",
    table(
      ["", "`parallel`", "`for_each`"],
      [
        [
          "`outputs`",
          "a mapping by member: `checks.outputs.lint.stdout`",
          "a list in the order of the items, `null` for one that failed; with `key_by` a mapping of what succeeded",
        ],
        [
          "`errors`",
          "a mapping of envelopes by member: `checks.errors.unit.message`",
          "a mapping of envelopes by key, or by the item's place as text: `each.errors['0'].message`",
        ],
      ],
    ),
    "`{{ each.errors | list }}` are the keys, `{{ each.errors.values() | map(attribute='message') | list }}` the messages. In templates of a for_each's step, `<as>` is the item, `_index` its place, `_key` its key.",
    section(
      2,
      "Routes",
      shape(route),
      "",
      "Entries of `routes:` and of `workflow.error_routes`. Exactly one of `to`, `retry`, `halt` and `propagate`; `retry` and `to` may go together. See [errors.md](errors.md).",
    ).trimEnd(),
    section(
      2,
      code("raise_when"),
      shape(raiseWhen()),
      "",
      "Entries of a step's `raise_when`. See [errors.md](errors.md#raise_when).",
    ).trimEnd(),
    section(
      2,
      "Output fields",
      shape(outputField()),
      "",
      "Entries of a step's `output:`, by field name. Keys that it does not name are let through.",
    ).trimEnd(),
    rules().trimEnd(),
  );
}

/** Many types take it; it is told once. */
const cacheFields = shape(choicesOf(cache).find((choice) => shapeOf(choice)) ?? cache);

const unwrapProvider = (): Schema => choicesOf(provider()).find((choice) => shapeOf(choice)) ?? provider();
