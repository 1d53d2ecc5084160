// A schema as plain data: enough to tell that a value is right and how it reads, too little to say what is wrong with
// it. Whatever a shape cannot judge it leaves to the schema.
import type * as z from "zod";
import { type Judgement, READINGS, type ReadingName } from "../../steps/schema/readings.ts";
import { defOf, metaOf } from "../schema-at.ts";

export type SchemaShape =
  | { readonly is: "any" | "boolean" | "null" }
  | { readonly is: "text"; readonly least?: number; readonly like?: string }
  | {
      readonly is: "number";
      readonly whole?: true;
      readonly above?: number;
      readonly from?: number;
      readonly to?: number;
    }
  | { readonly is: "word"; readonly of: readonly (string | number | boolean)[] }
  | { readonly is: "list"; readonly of: SchemaShape; readonly least?: number }
  | { readonly is: "record"; readonly of: SchemaShape }
  | { readonly is: "fields"; readonly of: Readonly<Record<string, SchemaShape>> }
  | { readonly is: "choice"; readonly of: readonly SchemaShape[] }
  | { readonly is: "maybe"; readonly of: SchemaShape }
  | { readonly is: "or null"; readonly of: SchemaShape }
  /** When it is left out: this value, or this as if it had been written. */
  | { readonly is: "else"; readonly of: SchemaShape; readonly value: unknown; readonly written?: true }
  | { readonly is: "short"; readonly of: SchemaShape; readonly reading: ReadingName }
  | { readonly is: "judged"; readonly of: SchemaShape; readonly by: Judgement }
  | { readonly is: "see"; readonly name: string }
  /** Only the schema can tell. */
  | { readonly is: "ask" };

type Schema = z.core.$ZodType;
type Parts = {
  readonly innerType: Schema;
  readonly element: Schema;
  readonly valueType: Schema;
  readonly keyType: Schema;
  readonly shape: Readonly<Record<string, Schema>>;
  readonly options: readonly Schema[];
  readonly getter: () => Schema;
  readonly in: Schema;
  readonly out: Schema;
  readonly transform: unknown;
  readonly defaultValue: unknown;
  readonly format?: string;
  readonly checks?: readonly z.core.$ZodCheck[];
};

/** Types whose checks are part of their shape. */
const LOOKS_AT_CHECKS: ReadonlySet<string> = new Set(["string", "number", "array"]);

const ASK: SchemaShape = { is: "ask" };

type Named = Map<Schema, { readonly name: string; shape: SchemaShape }>;

/** Shapes of schemas that hold themselves are put by name into `named`. */
export function shapeOfSchema(schema: Schema, named: Named): SchemaShape {
  const def = defOf(schema) as unknown as Parts;
  const { unsupported, unsupportedMapping, judged } = metaOf(schema);
  const rules = (def.checks ?? []).filter((check) => check._zod.def.check === "custom");
  if (rules.length > 0 && !judged) return ASK;
  const bare = bareShape(
    schema,
    { ...def, checks: (def.checks ?? []).filter((check) => !rules.includes(check)) },
    named,
  );
  const shape: SchemaShape = rules.length > 0 && judged ? { is: "judged", of: bare, by: judged } : bare;
  if (unsupported === undefined && unsupportedMapping === undefined) return shape;
  // What has no effect is warned about, and so has to be looked at where it is there.
  return shape.is === "maybe" || shape.is === "else" ? { ...shape, of: ASK } : ASK;
}

function bareShape(schema: Schema, def: Parts, named: Named): SchemaShape {
  const inside = (one: Schema): SchemaShape => shapeOfSchema(one, named);
  const type: string = defOf(schema).type;
  if (!LOOKS_AT_CHECKS.has(type) && (def.checks ?? []).length > 0) return ASK;
  switch (type) {
    case "unknown":
      return { is: "any" };
    case "boolean":
    case "null":
      return { is: type };
    case "string": {
      const found = checked(def, { least: "min_length", like: "string_format" });
      return found ? { is: "text", ...found } : ASK;
    }
    case "number": {
      const found = checked(def, { above: "greater_than", from: "greater_than", to: "less_than" });
      if (!found || (def.format !== undefined && def.format !== "safeint")) return ASK;
      return { is: "number", ...(def.format ? { whole: true } : {}), ...found };
    }
    case "enum":
    case "literal":
      return wordsOf(schema);
    case "array": {
      const found = checked(def, { least: "min_length" });
      return found ? { is: "list", of: inside(def.element), ...found } : ASK;
    }
    case "record":
      return defOf(def.keyType).type === "string" && !defOf(def.keyType).checks?.length
        ? { is: "record", of: inside(def.valueType) }
        : ASK;
    case "object":
      return { is: "fields", of: mapped(def.shape, inside) };
    case "union":
      return { is: "choice", of: def.options.map(inside) };
    case "optional":
      return { is: "maybe", of: inside(def.innerType) };
    case "nullable":
      return { is: "or null", of: inside(def.innerType) };
    case "default":
      return { is: "else", of: inside(def.innerType), value: def.defaultValue };
    case "prefault":
      return { is: "else", of: inside(def.innerType), value: def.defaultValue, written: true };
    case "pipe":
      return shortForm(def, inside);
    case "lazy": {
      const held = def.getter();
      const known = named.get(held);
      if (known) return { is: "see", name: known.name };
      const entry = { name: `part ${named.size}`, shape: ASK };
      named.set(held, entry);
      entry.shape = inside(held);
      return { is: "see", name: entry.name };
    }
    default:
      return ASK;
  }
}

/** What the checks of a schema come to, if they are all among those that are asked for. */
function checked(
  { checks = [] }: Parts,
  asked: Readonly<Record<string, string>>,
): Readonly<Record<string, number | string>> | undefined {
  const found: Record<string, number | string> = {};
  for (const one of checks) {
    const { check, value, minimum, inclusive, format, pattern } = one._zod.def as {
      readonly check: string;
      readonly value?: number;
      readonly minimum?: number;
      readonly inclusive?: boolean;
      readonly format?: string;
      readonly pattern?: RegExp;
    };
    const [name] = Object.entries(asked).find(([, wanted]) => wanted === check) ?? [];
    const which = check === "greater_than" ? (inclusive ? "from" : "above") : name;
    const limit = check === "string_format" ? (format === "regex" ? pattern?.source : undefined) : (value ?? minimum);
    if (which === undefined || limit === undefined || which in found) return undefined;
    if (typeof limit !== "number" && typeof limit !== "string") return undefined;
    if ((check === "less_than" && !inclusive) || (pattern && pattern.flags !== "")) return undefined;
    found[which] = limit;
  }
  return found;
}

function wordsOf(schema: Schema): SchemaShape {
  const words = [...(schema._zod.values ?? [])];
  const isPlain = (word: unknown): word is string | number | boolean =>
    typeof word === "string" || typeof word === "number" || typeof word === "boolean";
  return words.length > 0 && words.every(isPlain) ? { is: "word", of: words } : ASK;
}

const mapped = (
  shape: Readonly<Record<string, Schema>>,
  inside: (one: Schema) => SchemaShape,
): Record<string, SchemaShape> => Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, inside(field)]));

function shortForm({ in: long, out }: Parts, inside: (one: Schema) => SchemaShape): SchemaShape {
  const { transform } = defOf(out) as unknown as Parts;
  const [reading] = Object.entries(READINGS).find(([, read]) => read === transform) ?? [];
  return reading === undefined ? ASK : { is: "short", of: inside(long), reading: reading as ReadingName };
}
