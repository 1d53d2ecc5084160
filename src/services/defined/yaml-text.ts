// A workflow file's data as YAML, as a person would lay it out.

const WORDS = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan)$/i;
/** Texts that need no quotes. */
const PLAIN = /^(?:\$end|[A-Za-z_.][\w ./-]*[\w/]|[A-Za-z_])$/;
const SHORT = 100;

export const yamlText = (document: object): string =>
  Object.entries(document)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${scalar(key)}:${block(value, 0)}`)
    .join("\n");

/** What follows a key or a dash, the line break at its end included. */
function block(value: unknown, depth: number): string {
  const flow = inLine(value);
  if (flow !== undefined && (!isNested(value) || flow.length + depth * 2 < SHORT)) return ` ${flow}\n`;
  const indent = "  ".repeat(depth + 1);
  if (typeof value === "string") return ` |${ending(value)}\n${literal(value, indent)}`;
  if (Array.isArray(value)) return `\n${value.map((item) => `${indent}-${inItem(item, depth + 1)}`).join("")}`;
  return `\n${fields(value as object)
    .map(([key, one]) => `${indent}${scalar(key)}:${block(one, depth + 1)}`)
    .join("")}`;
}

/** A mapping begins in the line of its dash. */
function inItem(item: unknown, depth: number): string {
  const text = block(item, depth);
  return text.startsWith("\n") && !Array.isArray(item) ? ` ${text.trimStart()}` : text;
}

const fields = (mapping: object): [string, unknown][] =>
  Object.entries(mapping).filter(([, value]) => value !== undefined);

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Steps and routes have a line of their own each, so that they can be found. */
const hasName = (value: object): boolean => "name" in value || "routes" in value;

/** In one line; nothing for what is better in several. */
function inLine(value: unknown): string | undefined {
  if (typeof value === "string") return isBlock(value) ? undefined : scalar(value);
  if (!isNested(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    const items = value.map(inLine);
    return items.includes(undefined) || value.some((one) => isNested(one)) ? emptyOr(items) : `[${items.join(", ")}]`;
  }
  if (hasName(value)) return undefined;
  const parts = fields(value).map(([key, one]) => [scalar(key), inLine(one)] as const);
  if (parts.some(([, one]) => one === undefined)) return undefined;
  return parts.length === 0 ? "{}" : `{ ${parts.map(([key, one]) => `${key}: ${one}`).join(", ")} }`;
}

const emptyOr = (items: readonly unknown[]): string | undefined => (items.length === 0 ? "[]" : undefined);

const scalar = (text: string): string => (PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text));

/** Several lines that a literal block can hold as they are. */
const isBlock = (text: string): boolean =>
  /\n(?!$)/.test(text) && !/^\s|[^\S\n]\n|\n\n$/.test(text) && !/\\[^n"\\]/.test(JSON.stringify(text));

const ending = (text: string): string => (text.endsWith("\n") ? "" : "-");

const literal = (text: string, indent: string): string =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => (line === "" ? "\n" : `${indent}${line}\n`))
    .join("");
