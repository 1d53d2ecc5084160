// Holds a part of the file against its schema. What is wrong is said; what is right around it is kept.
import type * as z from "zod";
import { explain } from "./explain.ts";
import { flatten, type Issue } from "./issues.ts";
import type { NodePath } from "./loaded.ts";
import { mend } from "./mend.ts";
import type { Page, Subject } from "./page.ts";
import { isOptional, schemaAt } from "./schema-at.ts";
import { blank, standIn } from "./stand-in.ts";
import { reportUnknownKey } from "./unknown-key.ts";

/** Mending one thing may bring up the next; a part that still does not fit after this is given up. */
const MOST_ROUNDS = 12;

/** The value as the schema reads it, broken fields stood in for; undefined when nothing of it can be used. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  page: Page,
  subject: Subject,
): z.output<S> | undefined {
  let first = schema.safeParse(value);
  if (first.success) return first.data;
  const root = { value: structuredClone(value) };
  const attempt = new Attempt(schema, root, page, subject);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const issue of flatten(first.error?.issues ?? [])) attempt.settle(issue);
    if (attempt.isLost) return undefined;
    first = schema.safeParse(root.value);
    if (first.success) return attempt.finish(first.data) as z.output<S>;
  }
  return undefined;
}

class Attempt {
  isLost = false;
  readonly #said = new Set<string>();
  readonly #mended = new Set<string>();
  readonly #finals = new Map<string, { readonly path: NodePath; readonly value: unknown }>();
  readonly #schema: z.ZodType;
  readonly #root: { value: unknown };
  readonly #page: Page;
  readonly #subject: Subject;

  constructor(schema: z.ZodType, root: { value: unknown }, page: Page, subject: Subject) {
    this.#schema = schema;
    this.#root = root;
    this.#page = page;
    this.#subject = subject;
  }

  /** Says what is wrong, once, and changes the draft so that it is not in the way any more. */
  settle(issue: Issue): void {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        this.#write([...issue.path, key], undefined);
        if (this.#page.isFull) continue;
        const [meant] = reportUnknownKey(this.#schema, issue.path, key, this.#page, this.#subject);
        // A misspelt key is no missing one as well.
        if (meant) this.#said.add(saidKey([...issue.path, meant]));
      }
      return;
    }
    // A rule about the whole mapping names the key that it is about.
    const key = issue.code === "custom" ? issue.params?.key : undefined;
    const path = typeof key === "string" ? [...issue.path, key] : issue.path;
    const field = schemaAt(this.#schema, path) ?? this.#schema;
    const full = [...this.#subject.path, ...path];
    const value = read(this.#root.value, path);

    const mended = value === undefined ? undefined : mend(field, value, full, this.#page);
    if (mended && !this.#mended.has(JSON.stringify(path))) {
      this.#mended.add(JSON.stringify(path));
      this.#write(path, mended.value);
      return;
    }
    this.#say(issue, path, field, value);
    this.#replace(issue, path, field, value);
  }

  /** The parsed value with what only stood in taken out again. */
  finish(data: unknown): unknown {
    const result = { value: data };
    for (const { path, value } of this.#finals.values()) write(result, path, value);
    return result.value;
  }

  #say(issue: Issue, path: NodePath, field: z.core.$ZodType, value: unknown): void {
    const said = saidKey(path);
    const isNews = !this.#said.has(said) && !this.#page.isIncomplete([...this.#subject.path, ...path]);
    this.#said.add(said);
    if (isNews) explain(issue, path, field, value, this.#page, this.#subject);
  }

  #replace(issue: Issue, path: NodePath, field: z.core.$ZodType, value: unknown): void {
    this.#page.standIns.push([...this.#subject.path, ...path]);
    const isItem = typeof path.at(-1) === "number";
    if (path.length > 0 && !isItem && isOptional(field) && value !== undefined) {
      this.#write(path, undefined);
      return;
    }
    const passes = standIn(field);
    if (passes === undefined) {
      this.isLost = true;
      return;
    }
    this.#write(path, passes);
    const keepsValue = (issue.code === "too_small" || issue.code === "too_big") && typeof value !== "number";
    const final = keepsValue ? { value } : blank(field);
    if (final && path.length > 0) this.#finals.set(JSON.stringify(path), { path, value: final.value });
  }

  #write(path: NodePath, value: unknown): void {
    write(this.#root, path, value);
  }
}

const saidKey = (path: NodePath): string => JSON.stringify(path);

function read(value: unknown, path: NodePath): unknown {
  let at = value;
  for (const key of path)
    at =
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string | number, unknown>)[key]
        : undefined;
  return at;
}

/** Writes a value at a path; `undefined` takes the key away. */
function write(root: { value: unknown }, path: NodePath, value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) {
    root.value = value;
    return;
  }
  const parent = read(root.value, path.slice(0, -1));
  if (typeof parent !== "object" || parent === null) return;
  if (value === undefined) delete (parent as Record<string | number, unknown>)[last];
  else (parent as Record<string | number, unknown>)[last] = value;
}
