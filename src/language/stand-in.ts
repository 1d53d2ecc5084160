// A value that fits a schema where the file has none: lets the rest of a step be read although one field is broken.
import type * as z from "zod";
import { defOf, isOptional, metaOf, unwrap } from "./schema-at.ts";
import { allowedValues } from "./wanted.ts";

type Schema = z.core.$ZodType;

const parses = (schema: Schema, value: unknown): boolean => (schema as z.ZodType).safeParse(value).success;

/** A value that the schema accepts; undefined when none was found. */
export function standIn(schema: Schema, depth = 0): unknown {
  const { shape } = defOf(unwrap(schema));
  const built =
    shape && depth < 4
      ? Object.fromEntries(
          Object.entries(shape).flatMap(([key, field]) =>
            isOptional(field) ? [] : [[key, standIn(field, depth + 1)]],
          ),
        )
      : {};
  const candidates: unknown[] = [
    ...(metaOf(schema).examples ?? []),
    ...allowedValues(schema),
    built,
    "x",
    1,
    [],
    true,
    ["x", "y"],
  ];
  return candidates.find((candidate) => parses(schema, candidate));
}

/** What the definition shows there instead: nothing that a rule could take for the author's words. */
export function blank(schema: Schema): { readonly value: unknown } | undefined {
  switch (defOf(unwrap(schema)).type) {
    case "string":
      return { value: "" };
    case "array":
      return { value: [] };
    case "record":
      return { value: {} };
    default:
      return undefined;
  }
}
