// Holds a body against the messages of the OpenTelemetry protocol: every field is one of its message's, of its type, written
// as the JSON encoding wants it. `otlp.json` is that protocol's table of messages.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { messages, enums } = JSON.parse(readFileSync(join(import.meta.dirname, "otlp.json"), "utf8")) as {
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly enums: Readonly<Record<string, readonly number[]>>;
};

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
/** 64 bits do not fit a number: they are text, or a number where that is exact. */
const isLong = (value: unknown): boolean =>
  /^-?\d+$/.test(String(value)) && (isText(value) || Number.isSafeInteger(value));

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  bool: (value) => typeof value === "boolean",
  double: isNumber,
  uint32: Number.isInteger,
  sint32: Number.isInteger,
  int64: isLong,
  sfixed64: isLong,
  fixed64: isLong,
  uint64: isLong,
};

/** The ids alone are hexadecimal, against protobuf's own rule for bytes. */
const ID_LENGTHS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 };

/** What is wrong, as `path: why`; nothing when all is well. */
export function otlpProblems(message: string, value: unknown, at = message): readonly string[] {
  const fields = messages[message];
  if (!fields) return [`${at}: there is no message ${message}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: is no object`];
  return Object.entries(value).flatMap(([name, field]) => {
    const type = fields[name];
    if (type === undefined) return [`${at}.${name}: is not a field of ${message}`];
    if (!type.startsWith("repeated ")) return fieldProblems(name, type, field, `${at}.${name}`);
    if (!Array.isArray(field)) return [`${at}.${name}: is no list`];
    return field.flatMap((one, index) => fieldProblems(name, type.slice(9), one, `${at}.${name}[${index}]`));
  });
}

function fieldProblems(name: string, type: string, value: unknown, at: string): readonly string[] {
  if (type === "bytes") {
    const isId = isText(value) && new RegExp(`^[0-9a-f]{${ID_LENGTHS[name] ?? 0}}$`).test(String(value));
    return isId ? [] : [`${at}: ${JSON.stringify(value)} is no id`];
  }
  const known = enums[type];
  if (known) return known.includes(value as number) ? [] : [`${at}: ${JSON.stringify(value)} is no ${type}`];
  const scalar = SCALARS[type];
  if (scalar) return scalar(value) ? [] : [`${at}: ${JSON.stringify(value)} is no ${type}`];
  return otlpProblems(type, value, at);
}
