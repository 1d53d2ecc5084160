// Whether a value has a shape, and how it reads then. A no is not the last word: the schema can mend small differences,
// and says what is wrong.
import { isMapping, type Mapping } from "../../base/errors/mapping.ts";
import { JUDGEMENTS, READINGS } from "../../steps/schema/readings.ts";
import type { SchemaShape } from "./shape.ts";
import { shapeTexts } from "./shapes.ts";

/** Does not fit, or is beyond what a shape can tell. */
export const MISFIT: unique symbol = Symbol("does not fit");

const shapes = new Map<string, SchemaShape>();

function shapeNamed(name: string): SchemaShape {
  const known = shapes.get(name);
  if (known) return known;
  const shape: SchemaShape = JSON.parse(shapeTexts()[name] ?? '{"is":"ask"}');
  shapes.set(name, shape);
  return shape;
}

/** The value of a part of a file as its schema would read it, or MISFIT. */
export const readPart = (part: string, value: unknown): unknown => shaped(shapeNamed(part), value);

/** The part of a file that is a step of an own type, but for the fields of its own. */
export const OWN_STEP = "own step";

/** Whether a field is one that every step may have, so that no own type has it as its own. */
export function isOfEveryStep(field: string): boolean {
  const shape = shapeNamed(OWN_STEP);
  return field === "type" || (shape.is === "fields" && Object.hasOwn(shape.of, field));
}

function shaped(shape: SchemaShape, value: unknown): unknown {
  switch (shape.is) {
    case "any":
      return value;
    case "boolean":
      return typeof value === "boolean" ? value : MISFIT;
    case "null":
      return value === null ? value : MISFIT;
    case "text":
      return typeof value === "string" && isTextLike(value, shape) ? value : MISFIT;
    case "number":
      return typeof value === "number" && isWithin(value, shape) ? value : MISFIT;
    case "word":
      return (shape.of as readonly unknown[]).includes(value) ? value : MISFIT;
    case "list":
      return Array.isArray(value) && value.length >= (shape.least ?? 0) ? shapedList(shape.of, value) : MISFIT;
    case "record":
      return isMapping(value) ? shapedRecord(shape.of, value) : MISFIT;
    case "fields":
      return isMapping(value) ? shapedFields(shape.of, value) : MISFIT;
    case "choice":
      return shapedChoice(shape.of, value);
    case "maybe":
    case "else":
      return shaped(shape.of, value);
    case "or null":
      return value === null ? value : shaped(shape.of, value);
    case "short": {
      const said = shaped(shape.of, value);
      return said === MISFIT ? MISFIT : (READINGS[shape.reading] as (said: unknown) => unknown)(said);
    }
    case "judged": {
      const read = shaped(shape.of, value);
      return read !== MISFIT && (JUDGEMENTS[shape.by] as (read: unknown) => boolean)(read) ? read : MISFIT;
    }
    case "see":
      return shaped(shapeNamed(shape.name), value);
    default:
      return MISFIT;
  }
}

const isTextLike = (value: string, { least, like }: Extract<SchemaShape, { is: "text" }>): boolean =>
  value.length >= (least ?? 0) && (like === undefined || new RegExp(like).test(value));

const isWithin = (value: number, { whole, above, from, to }: Extract<SchemaShape, { is: "number" }>): boolean =>
  (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
  (above === undefined || value > above) &&
  (from === undefined || value >= from) &&
  (to === undefined || value <= to);

function shapedList(item: SchemaShape, value: readonly unknown[]): unknown {
  const items: unknown[] = [];
  for (const one of value) {
    const read = shaped(item, one);
    if (read === MISFIT) return MISFIT;
    items.push(read);
  }
  return items;
}

function shapedRecord(entry: SchemaShape, value: Mapping): unknown {
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const read = key === "__proto__" ? MISFIT : shaped(entry, value[key]);
    if (read === MISFIT) return MISFIT;
    record[key] = read;
  }
  return record;
}

function shapedFields(fields: Readonly<Record<string, SchemaShape>>, value: Mapping): unknown {
  const read: Record<string, unknown> = {};
  let known = 0;
  for (const key in fields) {
    const field = fields[key] as SchemaShape;
    const isThere = Object.hasOwn(value, key);
    if (isThere) known++;
    const one = isThere ? shaped(field, value[key]) : leftOut(field);
    if (one === MISFIT) return MISFIT;
    if (one !== undefined) read[key] = one;
  }
  return known === Object.keys(value).length ? read : MISFIT;
}

/** What a field is when it is not there. */
function leftOut(field: SchemaShape): unknown {
  switch (field.is) {
    case "maybe":
      return undefined;
    case "else":
      return field.written ? shaped(field.of, field.value) : copied(field.value);
    default:
      return MISFIT;
  }
}

/** Readers may write to what they got. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  return isMapping(value) ? { ...value } : value;
}

/** Only where the kind of value tells which of the shapes is meant; which of two mappings it is, the schema decides. */
function shapedChoice(choices: readonly SchemaShape[], value: unknown): unknown {
  const meant = choices.filter((shape) => mayBe(shape, value));
  return meant.length === 1 ? shaped(meant[0] as SchemaShape, value) : MISFIT;
}

function mayBe(shape: SchemaShape, value: unknown): boolean {
  switch (shape.is) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "word":
      return (shape.of as readonly unknown[]).includes(value);
    case "list":
      return Array.isArray(value);
    case "record":
    case "fields":
      return isMapping(value);
    case "judged":
      return mayBe(shape.of, value);
    default:
      return true;
  }
}
