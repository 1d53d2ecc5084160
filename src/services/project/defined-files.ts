// A definition as files that the language reads like any other: the YAML of it and of its sub-workflows, with the way back
// from a place in that text to the line of the code that says it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Mapping, unlessItThrows } from "../../base/errors/mapping.ts";
import type { DefinedFile } from "../../language/loaded.ts";
import { linesOf, type TextLines } from "../../language/tree.ts";
import {
  DEFINED,
  type Definition,
  type DefinitionParts,
  FUNCTION,
  type StepFunction,
} from "../own-steps/definition.ts";
import type { OwnStep } from "../own-steps/own-step.ts";
import { ownStepType } from "../own-steps/own-step-type.ts";
import type { Extensions } from "../session/extensions.ts";

type Defined = Required<Pick<Extensions, "defined" | "functions">>;

/** The files of a definition, by absolute path; it stands at `path` itself. */
export function definedFiles(definition: Definition, path: string): Defined {
  const defined = new Map<string, DefinedFile>();
  const functions = new Map<string, StepFunction>();
  for (const [name, parts] of definitionsIn(definition)) {
    const isRoot = parts === definition[DEFINED];
    const text = yamlText(withChildren(parts.document, (child) => `./${basename(path)}#${child}`));
    defined.set(isRoot ? path : `${path}#${name}`, { text, lines: () => codeLines(path, text) });
    for (const [key, one] of parts.functions) functions.set(key, one);
  }
  return { defined, functions };
}

export function definitionsIn(definition: Definition): ReadonlyMap<string, DefinitionParts> {
  const family = new Map<string, DefinitionParts>();
  const add = (one: Definition): void => {
    const parts = one[DEFINED];
    const same = family.get(parts.name);
    if (same === parts) return;
    if (same) throw new TypeError(`two workflows of one family are called ${parts.name}; give one another name`);
    family.set(parts.name, parts);
    for (const child of parts.children) add(child);
  };
  add(definition);
  return family;
}

/** The document with the files of its sub-workflows, where they are definitions. */
export function withChildren(document: Mapping, fileOf: (child: string) => string): Mapping {
  const placed = (step: Mapping): Mapping =>
    typeof step.workflow === "string" && step.workflow.startsWith("#")
      ? { ...step, workflow: fileOf(step.workflow.slice(1)) }
      : step;
  const { steps = [], for_each = [] } = document as { steps?: Mapping[]; for_each?: Mapping[] };
  return {
    ...document,
    ...(steps.length > 0 ? { steps: steps.map(placed) } : {}),
    ...(for_each.length > 0
      ? { for_each: for_each.map((group) => ({ ...group, agent: placed(group.agent as Mapping) })) }
      : {}),
  };
}

/** Where each step begins, whose name is written first, and the parts of the file. Nothing else stands so far to the left. */
const PART = /^(?: {2}- name: (.*)|(?:workflow|output):.*)$/gm;

/** From a place in the YAML to the line of the code that defines the step. */
function codeLines(path: string, text: string): TextLines {
  const code = unlessItThrows(() => readFileSync(path, "utf8"), undefined);
  // A definition need not be in a file of this name; its steps are then found by their names alone.
  if (code === undefined) return { at: () => ({ line: 1, column: 1 }) };
  const inCode = linesOf(code);
  const parts = [...text.matchAll(PART)].map(({ index, 0: part, 1: name }) => ({ index, part, name }));
  return {
    at(offset) {
      const { part = "", name } = parts.findLast(({ index }) => index <= offset) ?? {};
      const whole = code.indexOf(part.startsWith("output") ? ".output(" : "defineWorkflow(");
      return inCode.at(Math.max(0, name === undefined ? whole : placeOf(name, code)));
    },
  };
}

function placeOf(name: string, code: string): number {
  const word = name.replace(/^"|"$/g, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  for (const pattern of [`(?<=\\.\\s*step\\(\\s*)["'\`]${word}["'\`]`, `["'\`]${word}["'\`]`, `\\b${word}\\s*:`]) {
    const found = code.search(new RegExp(pattern));
    if (found >= 0) return found;
  }
  return code.indexOf("defineWorkflow(");
}

export function withDefined(extensions: Extensions = {}, more: Defined): Extensions {
  const defined = new Map([...(extensions.defined ?? []), ...more.defined]);
  const functions = new Map([...(extensions.functions ?? []), ...more.functions]);
  if (functions.size === 0) return { ...extensions, defined };
  const stepTypes = { ...extensions.stepTypes, [FUNCTION]: ownStepType(functionStep(functions)) };
  return { ...extensions, defined, functions, stepTypes };
}

const functionStep = (functions: ReadonlyMap<string, StepFunction>): OwnStep => ({
  type: FUNCTION,
  description: "calls a function of the program that defines the workflow",
  // What a function is called, its version and its inputs are fields, so that they are part of the step's hash.
  version: 1,
  schema: {
    type: "object",
    properties: { function: { type: "string" }, version: {}, code: { type: "string" }, given: {} },
    required: ["function"],
  },
  execute(values, attempt) {
    const { function: name, given } = values as { readonly function: string; readonly given?: unknown };
    const called = functions.get(name);
    if (!called) throw new Error(`there is no function ${name}`);
    return called(given, attempt);
  },
});

const WORDS = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan)$/i;
/** Texts that need no quotes. */
const PLAIN = /^(?:\$end|[A-Za-z_.][\w ./-]*[\w/]|[A-Za-z_])$/;
const SHORT = 100;

/** A workflow file's data as YAML, as a person would lay it out. */
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
