// The door to everything that knows a schema, opened only for a file with something unusual in it: reading it part by
// part, and warnings about what has no effect.

import type * as z from "zod";
import { isMapping, type Mapping } from "../base/errors/mapping.ts";
import { didYouMean, nearest } from "../base/errors/nearest.ts";
import { provider } from "../steps/schema/provider.ts";
import type { StepTypes } from "../steps/types.ts";
import type { NodePath } from "./loaded.ts";
import { type Page, pathText } from "./page.ts";
import { type FileRead, readFile } from "./read-file.ts";
import { FOREIGN_PROVIDERS, STEP_TYPES, stepsKeyOf } from "./schema/index.ts";
import { sectionFrame, sections } from "./schema/workflow-section.ts";
import { choicesOf, defOf, isLoose, metaOf, shapeOf } from "./schema-at.ts";
import { settleIncludes } from "./settle-includes.ts";
import type { Tree } from "./tree.ts";

const all = (own: StepTypes | undefined): StepTypes => (own ? { ...STEP_TYPES, ...own } : STEP_TYPES);

/** Reads a file part by part; what is wrong is said on its page. */
export const readBySchema = (value: Mapping, page: Page, ownTypes?: StepTypes): FileRead =>
  readFile(value, page, all(ownTypes));

/** The tree with every file that it takes in as its field wants it. */
export const settleBySchema = (tree: Tree, ownTypes?: StepTypes): ReturnType<typeof settleIncludes> =>
  settleIncludes(tree, all(ownTypes));

/** Warns about every option of a file that has no effect. */
export function warnWithoutEffect(value: Mapping, page: Page, ownTypes?: StepTypes): void {
  warnUnsupportedOptions(value, page, all(ownTypes));
}

type Schema = z.core.$ZodType;

/** Warns about every option of a file that has no effect. */
function warnUnsupportedOptions(value: Readonly<Record<string, unknown>>, page: Page, types: StepTypes): void {
  if (isMapping(value.workflow)) {
    warnUnsupported(sectionFrame(), value.workflow, ["workflow"], page);
    for (const [key, schema] of Object.entries(sections))
      if (isMapping(value.workflow[key])) warnUnsupported(schema(), value.workflow[key], ["workflow", key], page);
  }
  for (const { item, path } of stepsIn(value)) {
    if (!isMapping(item)) continue;
    const { type = "agent", name } = item;
    const entry = typeof type === "string" && Object.hasOwn(types, type) ? types[type] : undefined;
    if (entry) warnUnsupported(entry.schema(), item, path, page, typeof name === "string" ? name : undefined);
  }
}

function* stepsIn(
  value: Readonly<Record<string, unknown>>,
): Iterable<{ readonly item: unknown; readonly path: NodePath }> {
  for (const key of [stepsKeyOf(value), "for_each"]) {
    const list = value[key];
    if (!Array.isArray(list)) continue;
    for (const [index, item] of list.entries())
      if (key !== "for_each") yield { item, path: [key, index] };
      else if (isMapping(item)) yield { item: item.agent, path: [key, index, "agent"] };
  }
}

function warnUnsupported(schema: Schema, value: unknown, path: NodePath, page: Page, node?: string): void {
  if (!mayWarn(schema)) return;
  if (path.at(-1) === "provider" && isProvider(schema)) warnProvider(schema, value, path, page, node);
  else if (Array.isArray(value)) {
    const element = choicesOf(schema)
      .map((choice) => defOf(choice).element)
      .find((one) => one !== undefined);
    if (element)
      for (const [index, item] of value.entries()) warnUnsupported(element, item, [...path, index], page, node);
  } else if (isMapping(value)) warnMapping(schema, value, path, page, node);
}

function warnMapping(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  path: NodePath,
  page: Page,
  node?: string,
): void {
  for (const choice of choicesOf(schema)) {
    const { valueType } = defOf(choice);
    const shape = shapeOf(choice);
    if (!shape && !valueType) continue;
    for (const [key, one] of Object.entries(value))
      warnKey(key, one, { shape, valueType, loose: isLoose(choice) }, [...path, key], page, node);
    return;
  }
}

const silent = new WeakMap<Schema, boolean>();

/** Whether anything under a schema could be without effect. Most step types have nothing, and are not walked. */
function mayWarn(schema: Schema): boolean {
  const known = silent.get(schema);
  if (known !== undefined) return !known;
  // A field that holds itself is decided by what else it holds.
  silent.set(schema, true);
  const warns = choicesOf(schema).some((choice) => {
    const { element, valueType, shape = {} } = defOf(choice);
    const inner = [element, valueType, ...Object.values(shape)].filter((one) => one !== undefined);
    return isLoose(choice) || inner.some((one) => isForeign(metaOf(one)) || mayWarn(one));
  });
  silent.set(schema, !warns);
  return warns;
}

const isForeign = ({ unsupported, unsupportedMapping }: ReturnType<typeof metaOf>): boolean =>
  unsupported !== undefined || unsupportedMapping !== undefined;

interface MappingSchema {
  readonly shape?: Readonly<Record<string, Schema>> | undefined;
  readonly valueType?: Schema | undefined;
  readonly loose: boolean;
}

function warnKey(
  key: string,
  value: unknown,
  { shape, valueType, loose }: MappingSchema,
  path: NodePath,
  page: Page,
  node?: string,
): void {
  const field = shape && Object.hasOwn(shape, key) ? shape[key] : valueType;
  const say = (message: string, suggestions: readonly string[] = []): void =>
    page.report("unsupported-option", path, message, { at: "key", severity: "warning", suggestions, node });
  if (!field) {
    const suggestions = nearest(key, Object.keys(shape ?? {}));
    if (loose && suggestions.length > 0 && CLOSED.includes(String(path.at(-2))))
      page.report(
        "unknown-key",
        path,
        `\`${key}\` is not a field of \`${pathText(path.slice(0, -1))}\`.${didYouMean(suggestions)}`,
        { at: "key", suggestions, node },
      );
    else if (loose)
      say(
        `\`${pathText(path)}\` is not an option that Segno knows, and has no effect.${didYouMean(suggestions)}`,
        suggestions,
      );
    return;
  }
  const { unsupported, unsupportedMapping } = metaOf(field);
  const why = unsupported ?? (isMapping(value) ? unsupportedMapping : undefined);
  if (why && !isEmpty(value)) say(`\`${key}\` has no effect: ${why}.`);
  else warnUnsupported(field, value, path, page, node);
}

/** Mappings in which a key that is nearly one of theirs is that key misspelt: Conductor takes no other keys there. */
const CLOSED: readonly string[] = ["provider", "checkpoint", "tool_output"];

/** `plugins: []` asks for nothing, so there is nothing to warn about. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

const isProvider = (schema: Schema): boolean => metaOf(schema).expects === metaOf(provider()).expects;

/** A provider that Segno does not have is a finding by itself; its settings need no further word. */
function warnProvider(schema: Schema, value: unknown, path: NodePath, page: Page, node?: string): void {
  const settings = choicesOf(schema).find((choice) => shapeOf(choice) !== undefined);
  if (!settings || !isMapping(value) || FOREIGN_PROVIDERS.includes(String(value.name))) return;
  for (const [key, one] of Object.entries(value))
    warnKey(key, one, { shape: shapeOf(settings), loose: true }, [...path, key], page, node);
}
