// What a request brought, held against what its address takes. What does not fit is refused with what the field is, and
// where a program gets it: as the contract describes it.
import { z } from "zod";
import { misfitOf, misfitText } from "../errors/misfit.ts";
import { NestedTooDeeply, parseJson } from "../json/bounded.ts";
import { BadRequest } from "./problems.ts";

export function json(text: string): unknown {
  try {
    return parseJson(text);
  } catch (problem) {
    if (problem instanceof NestedTooDeeply) throw new BadRequest(`the body cannot be used: ${problem.message}`);
    throw new BadRequest("the body is no JSON", DESCRIBED);
  }
}

export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (!issue) throw new BadRequest("this is not what the address takes", DESCRIBED);
  throw new BadRequest(misfitText(issue, value), hintFor(schema, misfitOf(issue, value).path));
}

const DESCRIBED = "GET /api/openapi.json describes what each address takes.";

/** By the innermost field on the way that the contract describes. */
function hintFor(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let found = [z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described];
  let hint = DESCRIBED;
  for (const [index, key] of path.entries()) {
    found = found.flatMap(shapesOf).flatMap((shape) => shape.properties?.[String(key)] ?? shape.items ?? []);
    const description = found.find((shape) => shape.description !== undefined)?.description;
    if (description !== undefined) hint = `\`${path.slice(0, index + 1).join(".")}\` is ${description}. ${DESCRIBED}`;
  }
  return hint;
}

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
}

const shapesOf = (shape: Described): readonly Described[] => shape.anyOf?.flatMap(shapesOf) ?? [shape];
