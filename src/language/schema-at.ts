// Looks into the language's schema: which field a path leads to, and what the schema says of it.
import * as z from "zod";
import type { Judgement } from "../steps/schema/readings.ts";
import type { NodePath } from "./loaded.ts";

/** What a schema says of a field beside its type. */
export interface FieldMeta {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** What is wanted, in words, where the type alone does not say it well: follows "must be". */
  readonly expects?: string;
  /** Numbers and booleans are taken as they are written. */
  readonly scalars?: boolean;
  /** In a file with `agents:` it may have keys that it does not know, which have no effect. */
  readonly takesAnyKey?: boolean;
  /** The value is secret: what is wrong with it is said without showing it. */
  readonly isSecret?: boolean;
  /** Why the option is read but does nothing. */
  readonly unsupported?: string;
  /** The same, but only where it is a mapping. */
  readonly unsupportedMapping?: string;
  /** The judgement that says the same as the schema's own rules. */
  readonly judged?: Judgement;
}

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypeDef & {
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly getter?: () => Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly format?: string;
};

export const defOf = (schema: Schema): Def => schema._zod.def as Def;

/** What a wrapper (optional, default, transform …) wraps; undefined for the thing itself. */
function inner(schema: Schema): Schema | undefined {
  const def = defOf(schema);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return def.innerType;
    case "pipe":
      return def.in;
    case "lazy":
      return def.getter?.();
    default:
      return undefined;
  }
}

/** The thing itself, wrappers taken off. */
export function unwrap(schema: Schema): Schema {
  let at = schema;
  for (let next = inner(at); next; next = inner(at)) at = next;
  return at;
}

const metas = new WeakMap<Schema, FieldMeta>();

/** What the schema says of a field; what a wrapper says wins over what it wraps. */
export function metaOf(schema: Schema): FieldMeta {
  const known = metas.get(schema);
  if (known) return known;
  let meta: FieldMeta = {};
  for (let at: Schema | undefined = schema; at; at = inner(at)) meta = { ...z.globalRegistry.get(at), ...meta };
  metas.set(schema, meta);
  return meta;
}

export const isOptional = (schema: Schema): boolean => schema._zod.optin !== undefined;

/** The fields of a mapping, if the schema is one with fixed fields. */
export const shapeOf = (schema: Schema): Readonly<Record<string, Schema>> | undefined => defOf(unwrap(schema)).shape;

/** Whether a mapping takes other keys than its own. */
export const isLoose = (schema: Schema): boolean => {
  const { catchall } = defOf(unwrap(schema));
  return catchall !== undefined && defOf(catchall).type === "unknown";
};

/** The schemas of a choice: one, for anything else. */
export const choicesOf = (schema: Schema): readonly Schema[] => {
  const bare = unwrap(schema);
  return defOf(bare).options?.flatMap(choicesOf) ?? [bare];
};

/** The schema one step along a path. */
export function fieldOf(schema: Schema, key: string | number): Schema | undefined {
  for (const choice of choicesOf(schema)) {
    const { shape, element, valueType } = defOf(choice);
    const field = typeof key === "number" ? element : shape && Object.hasOwn(shape, key) ? shape[key] : valueType;
    if (field) return field;
  }
  return undefined;
}

/** The schema of the field that a path leads to. */
export function schemaAt(schema: Schema, path: NodePath): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const key of path) at = at && fieldOf(at, key);
  return at;
}
