// Holds a part of the file against its schema. What is wrong is said; what is right around it is kept.
import type * as z from "zod";
import { explainFinding, flatten, type Issue, mend } from "./explain-finding.ts";
import { type NodePath, writtenAt } from "./loaded.ts";
import type { Page, Subject } from "./page.ts";
import { defOf, isOptional, metaOf, schemaAt, unwrap } from "./schema-at.ts";
import { allowedValues, reportUnknownKey, typesWith } from "./unknown-key.ts";

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
  const attempt = new Attempt(schema, value, page, subject);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const issue of flatten(first.error?.issues ?? [])) attempt.settle(issue);
    if (attempt.isLost) return undefined;
    first = schema.safeParse(attempt.draft);
    if (first.success) return attempt.finish(first.data) as z.output<S>;
  }
  return undefined;
}

class Attempt {
  isLost = false;
  readonly #said = new Set<string>();
  readonly #mended = new Set<string>();
  /** What is in the file and no longer in the draft. */
  readonly #taken: NodePath[] = [];
  readonly #finals = new Map<string, { readonly path: NodePath; readonly value: unknown }>();
  readonly #root: { value: unknown };

  constructor(
    private readonly schema: z.ZodType,
    private readonly written: unknown,
    private readonly page: Page,
    private readonly subject: Subject,
  ) {
    this.#root = { value: structuredClone(written) };
  }

  get draft(): unknown {
    return this.#root.value;
  }

  /** Says what is wrong, once, and changes the draft so that it is not in the way any more. */
  settle(issue: Issue): void {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        this.#write([...issue.path, key], undefined);
        this.#taken.push([...issue.path, key]);
        if (this.page.isFull) continue;
        const isReadOver = this.#readsOver(issue.path, key);
        const [meant] = reportUnknownKey(this.schema, issue.path, key, this.page, this.subject, isReadOver);
        if (!meant || isReadOver) continue;
        // A misspelt key is no missing one as well, and what it says is not known.
        this.#said.add(saidKey([...issue.path, meant]));
        this.page.standIns.push([...this.subject.path, ...issue.path, meant]);
      }
      return;
    }
    // A rule about the whole mapping names the key that it is about.
    const key = issue.code === "custom" ? issue.params?.key : undefined;
    const path = typeof key === "string" ? [...issue.path, key] : issue.path;
    const field = schemaAt(this.schema, path) ?? this.schema;
    const full = [...this.subject.path, ...path];
    const value = writtenAt(this.#root.value, path);

    const mended = value === undefined ? undefined : mend(field, value, full, this.page);
    if (mended && !this.#mended.has(JSON.stringify(path))) {
      this.#mended.add(JSON.stringify(path));
      this.#write(path, mended.value);
      return;
    }
    this.#say(issue, path, field, value);
    this.#replace(issue, path, field, value);
  }

  /** Whether Conductor takes a key here that means nothing in this place. */
  #readsOver(path: NodePath, key: string): boolean {
    if (!this.page.semantics.readsOverForeignKeys) return false;
    if (path.length === 0 && this.subject.isStep)
      // Conductor, too, refuses what a `terminate` step has too much, and its fields elsewhere.
      return writtenAt(this.written, ["type"]) !== "terminate" && typesWith(key).some((type) => type !== "terminate");
    const field = schemaAt(this.schema, path);
    return field !== undefined && metaOf(field).takesAnyKey === true;
  }

  /** The parsed value with what only stood in taken out again. */
  finish(data: unknown): unknown {
    const result = { value: data };
    for (const { path, value } of this.#finals.values()) write(result, path, value);
    return result.value;
  }

  #say(issue: Issue, path: NodePath, field: z.core.$ZodType, value: unknown): void {
    const said = saidKey(path);
    const isNews =
      !this.#said.has(said) && !this.#isAboutDraft(issue) && !this.page.isIncomplete([...this.subject.path, ...path]);
    this.#said.add(said);
    // What holds it may have been taken out of the draft for something else: then the file still says what it is.
    const written = value === undefined ? writtenAt(this.written, path) : value;
    if (isNews) explainFinding(issue, path, field, written, this.page, this.subject);
  }

  /** Whether it judges a whole mapping of which something wrong was taken out, which has been said: the draft, not the file. */
  #isAboutDraft(issue: Issue): boolean {
    const { path } = issue;
    if (issue.code !== "custom" || issue.params?.key !== undefined) return false;
    return this.#taken.some((one) => one.length > path.length && path.every((key, index) => one[index] === key));
  }

  #replace(issue: Issue, path: NodePath, field: z.core.$ZodType, value: unknown): void {
    this.page.standIns.push([...this.subject.path, ...path]);
    if (this.#leaveOut(path, field, value)) return;
    const passes = standIn(field);
    if (passes === undefined) {
      this.#giveUp(path);
      return;
    }
    this.#write(path, passes);
    const keepsValue = (issue.code === "too_small" || issue.code === "too_big") && typeof value !== "number";
    const final = keepsValue ? { value } : blank(field);
    if (final && path.length > 0) this.#finals.set(JSON.stringify(path), { path, value: final.value });
  }

  #leaveOut(path: NodePath, field: z.core.$ZodType, value: unknown): boolean {
    const isItem = typeof path.at(-1) === "number";
    if (path.length === 0 || isItem || !isOptional(field) || value === undefined) return false;
    this.#write(path, undefined);
    this.#taken.push(path);
    return true;
  }

  /** Nothing stands in for it: what holds it is stood in for, and so on outwards, so that the rest can still be read. */
  #giveUp(path: NodePath): void {
    const outer = path.slice(0, -1);
    const field = outer.length > 0 ? schemaAt(this.schema, outer) : undefined;
    if (!field) {
      this.isLost = true;
      return;
    }
    this.page.standIns.push([...this.subject.path, ...outer]);
    if (this.#leaveOut(outer, field, writtenAt(this.#root.value, outer))) return;
    const passes = standIn(field);
    if (passes === undefined) this.#giveUp(outer);
    else this.#write(outer, passes);
  }

  #write(path: NodePath, value: unknown): void {
    write(this.#root, path, value);
  }
}

const saidKey = (path: NodePath): string => JSON.stringify(path);

/** Writes a value at a path; `undefined` takes the key away. */
function write(root: { value: unknown }, path: NodePath, value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) {
    root.value = value;
    return;
  }
  const parent = writtenAt(root.value, path.slice(0, -1));
  if (typeof parent !== "object" || parent === null) return;
  if (value === undefined) delete (parent as Record<string | number, unknown>)[last];
  else (parent as Record<string | number, unknown>)[last] = value;
}

// A value that fits a schema where the file has none: lets the rest of a step be read although one field is broken.

type Schema = z.core.$ZodType;

const parses = (schema: Schema, value: unknown): boolean => (schema as z.ZodType).safeParse(value).success;

/** A value that the schema accepts; undefined when none was found. */
function standIn(schema: Schema, depth = 0): unknown {
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
function blank(schema: Schema): { readonly value: unknown } | undefined {
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
