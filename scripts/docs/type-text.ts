// What a field takes, in a few words, from its schema.
import * as z from "zod";
import { choicesOf, defOf, isOptional, metaOf, unwrap } from "../../src/language/schema-at.ts";
import { code } from "./markdown.ts";

type Schema = z.core.$ZodType;
type Json = Readonly<Record<string, unknown>>;

const json = (schema: Schema): Json =>
  z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" }) as Json;

/** Shapes that many fields share and that have a section of their own, by the id in their meta. */
const NAMED: Readonly<Record<string, string>> = {
  Step: "[step](#steps)",
  Route: "[route](#routes)",
  RaiseWhen: "[rule](#raise_when)",
  OutputField: "[field shape](#output-fields)",
  Provider: "name, or [mapping](#workflowruntimeprovider)",
};

const idOf = (schema: Schema): string | undefined => (z.globalRegistry.get(schema) as { id?: string } | undefined)?.id;

/** The id of a shared shape, looked for through wrappers. */
export function sharedId(schema: Schema): string | undefined {
  for (let at: Schema | undefined = schema; at; ) {
    const id = idOf(at);
    if (id && id in NAMED) return id;
    const def: ReturnType<typeof defOf> & { readonly discriminator?: string } = defOf(at);
    if (def.discriminator === "type") return "Step";
    at = def.innerType ?? (def.type === "pipe" ? def.in : undefined) ?? def.getter?.();
  }
  return undefined;
}

const DURATION = /number of seconds/;

/** `mapping` says how a mapping with fields is called; `string`, `integer from 1 to 10`, `low | high`, `list of string`. */
export function typeOf(schema: Schema, mapping: (bare: Schema) => string = () => "mapping"): string {
  const shared = sharedId(schema);
  if (shared) return NAMED[shared] ?? "";
  const { expects, scalars } = metaOf(schema);
  const bare = unwrap(schema);
  const def = defOf(bare);
  if (expects && def.type === "union") return DURATION.test(expects) && !expects.includes("24h") ? "duration" : expects;
  switch (def.type) {
    case "string":
      return scalars ? "text" : "string";
    case "number": {
      const { type, minimum, exclusiveMinimum, maximum } = json(bare);
      const bounds = [
        typeof minimum === "number" && Math.abs(minimum) < Number.MAX_SAFE_INTEGER ? `from ${minimum}` : "",
        exclusiveMinimum === undefined ? "" : `above ${exclusiveMinimum}`,
        typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? `to ${maximum}` : "",
      ];
      return [String(type), ...bounds].filter(Boolean).join(" ");
    }
    case "enum":
      return (json(bare).enum as readonly string[]).map(code).join(", ");
    case "literal":
      return code(String(json(bare).const));
    case "array":
      return `list of ${typeOf(def.element as Schema, mapping)}`;
    case "record":
      return `mapping to ${typeOf(def.valueType as Schema, mapping)}`;
    case "union":
      return [...new Set(choicesOf(bare).map((choice) => typeOf(choice, mapping)))].join(" or ");
    case "object":
      return mapping(bare);
    case "unknown":
      return "anything";
    default:
      return def.type;
  }
}

/** The default as it would be written, `required`, or nothing. */
export function defaultOf(schema: Schema): string {
  const value = stated(schema) ?? json(schema).default;
  if (value !== undefined && !isEmpty(value)) return code(JSON.stringify(value));
  return isOptional(schema) || value !== undefined ? "" : "required";
}

/** JSON Schema leaves out the default of a field that is transformed; the wrapper still has it. */
function stated(schema: Schema): unknown {
  const def = defOf(schema) as ReturnType<typeof defOf> & { readonly defaultValue?: unknown };
  if (def.type === "default" || def.type === "prefault") return def.defaultValue;
  return undefined;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
