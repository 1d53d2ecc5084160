// Which fields and values a place of a file takes, from the schemas that files are held against.

import type { NodePath } from "../../../language/loaded.ts";
import { isStepsKey, STEP_TYPES, stepsKeyOf, workflowFile } from "../../../language/schema/index.ts";
import { ABOUT_LISTS } from "../../../language/schema/names.ts";
import { choicesOf, isOptional, metaOf, schemaAt, shapeOf } from "../../../language/schema-at.ts";
import { allowedValues, wanted } from "../../../language/unknown-key.ts";
import { projectSchema } from "../../../services/project/schema.ts";
import type { Extensions } from "../../../services/session/extensions.ts";
import { evalSchema } from "../../evals/eval-file.ts";
import { scenarioSchema } from "../../scenarios/schema.ts";
import type { FileKind } from "../project-files.ts";
import { nodePathOf, plainAt } from "./cursor.ts";

type Schema = NonNullable<ReturnType<typeof schemaAt>>;

export interface ShownField {
  readonly name: string;
  /** What it is for, and what it takes. */
  readonly about: string;
  readonly isRequired: boolean;
}

interface Place {
  readonly kind: FileKind;
  readonly root: unknown;
  readonly extensions?: Extensions | undefined;
}

const SCHEMAS = { scenario: scenarioSchema, project: projectSchema, eval: evalSchema } as const;

/** The schema of the value at a path. What a step takes depends on its type. */
function schemaOf(path: NodePath, { kind, root, extensions }: Place): Schema | undefined {
  if (kind !== "workflow") return schemaAt(SCHEMAS[kind], path);
  const step = path[0] === "parallel" ? undefined : nodePathOf(path);
  if (step === undefined || (step[0] === "for_each" && step.length === 2))
    return schemaAt(workflowFile(), isStepsKey(path[0]) ? ["agents", ...path.slice(1)] : path);
  const types = { ...STEP_TYPES, ...extensions?.stepTypes };
  const type = plainAt(root, [...step, "type"]);
  const known = typeof type === "string" && Object.hasOwn(types, type) ? type : "agent";
  const schema = types[known as keyof typeof types]?.schema();
  return schema && schemaAt(schema, path.slice(step.length));
}

/** The fields that the mapping at a path may have. */
export function fieldsAt(path: NodePath, place: Place): readonly ShownField[] {
  const schema = schemaOf(path, place);
  if (!schema) return [];
  const fields = new Map<string, ShownField>();
  const isTop = place.kind === "workflow" && path.length === 0;
  for (const choice of choicesOf(schema))
    for (const [key, field] of Object.entries(shapeOf(choice) ?? {})) {
      const name = isTop && isStepsKey(key) ? stepsKeyOf(place.root) : key;
      fields.set(name, { name, about: aboutList([name], place) ?? aboutSchema(field), isRequired: !isOptional(field) });
    }
  return [...fields.values()];
}

/** The words that a value may be, where they are fixed. */
export function wordsAt(path: NodePath, place: Place): readonly string[] {
  const isType = path.at(-1) === "type" && nodePathOf(path)?.length === path.length - 1 && path[0] !== "parallel";
  if (isType && place.kind === "workflow") return Object.keys({ ...STEP_TYPES, ...place.extensions?.stepTypes });
  const schema = schemaOf(path, place);
  return schema ? allowedValues(schema) : [];
}

/** What the schema says of a field: its description, what it must be, and its default. */
export function aboutField(path: NodePath, place: Place): string | undefined {
  const list = aboutList(path, place);
  if (list !== undefined) return list;
  const schema = schemaOf(path, place);
  return schema && aboutSchema(schema);
}

/** The two lists of steps have one schema, but a file means something else by each of them. */
function aboutList(path: NodePath, { kind }: Place): string | undefined {
  const [key, ...below] = path;
  return kind === "workflow" && isStepsKey(key) && below.length === 0 ? ABOUT_LISTS[key] : undefined;
}

function aboutSchema(schema: Schema): string {
  const preset = presetOf(schema);
  const said = preset === undefined ? undefined : `The default is \`${JSON.stringify(preset)}\`.`;
  return [metaOf(schema).description, `It must be ${wanted(schema)}.`, said].filter(Boolean).join(" ");
}

function presetOf(schema: Schema): unknown {
  const def = schema._zod.def as {
    readonly type: string;
    readonly innerType?: Schema;
    readonly defaultValue?: unknown;
  };
  if (def.type === "default" || def.type === "prefault") {
    const isEmpty = typeof def.defaultValue === "object" && Object.keys(def.defaultValue ?? {}).length === 0;
    return isEmpty ? undefined : def.defaultValue;
  }
  return def.innerType && ["optional", "nullable", "readonly"].includes(def.type) ? presetOf(def.innerType) : undefined;
}
