// References: what stands for a value that is known only when the workflow runs. They record which property was read, and
// become templates: `steps.build.output.url` is `{{ build.output.url }}`.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import { didYouMean, nearest } from "../../../base/errors/nearest.ts";
import { shown } from "../../../frontends/library/wording.ts";

declare const VALUE: unique symbol;

/** Stands for a value of this type. It can be passed on, and stand in a template string. */
export interface RefTo<out Kept> {
  readonly [VALUE]: Kept;
}

/** A value of which nothing is known. */
export interface AnyRef extends RefTo<unknown> {
  readonly [name: string]: AnyRef;
}

type FieldsOf<Kept> = Kept extends string | number | boolean | null | undefined
  ? unknown
  : Kept extends readonly (infer One)[]
    ? { readonly [index: number]: Ref<One> }
    : Kept extends object
      ? { readonly [Name in keyof Kept]-?: Ref<Kept[Name]> }
      : unknown;

/** A reference with the fields of what it stands for. */
export type Ref<Kept> = unknown extends Kept ? AnyRef : RefTo<Kept> & FieldsOf<NonNullable<Kept>>;

export type ListRef<Item> = RefTo<readonly Item[]> | RefTo<Item[]>;

/** A text: as it is (a template, too), or a reference. */
export type Text = string | RefTo<unknown>;

/** Anything that a file can say, with references at any depth. */
export type Value =
  | RefTo<unknown>
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [name: string]: Value };

/** What becomes of a value with references in it. */
export type Resolved<Given> =
  Given extends RefTo<infer Kept>
    ? Kept
    : Given extends `${string}{{${string}`
      ? unknown
      : Given extends string | number | boolean
        ? ReturnType<Given["valueOf"]>
        : Given extends object
          ? { -readonly [Name in keyof Given]: Resolved<Given[Name]> }
          : Given;

const PATH = Symbol("path");

/**
 * A reference by its path in templates, for what code cannot name yet: a step that is defined further down.
 *
 * @example
 * import { ref } from "segno/workflow";
 * const remarks = ref<string>("review.output.remarks");
 */
export function ref<Kept = unknown>(path: string): Ref<Kept> {
  if (typeof path !== "string") throw calledWrong(`ref takes a path such as "build.output", not ${shown(path)}`);
  return recorded(path) as Ref<Kept>;
}

/** The path of a reference; nothing for anything else. */
export const pathOf = (value: unknown): string | undefined =>
  typeof value === "function" ? (value as { [PATH]?: string })[PATH] : undefined;

/** The names of a workflow's steps; a name that is none is refused. */
export function stepRefs(names: readonly string[]): unknown {
  return new Proxy(Object.freeze({}), {
    get(_, name) {
      if (typeof name === "symbol") return undefined;
      if (names.includes(name)) return recorded(name);
      throw calledWrong(
        `there is no step ${name} before this one.${didYouMean(nearest(name, names, 1))} A step that is defined further down is read with ref("${name}.output")`,
      );
    },
  });
}

function recorded(path: string): unknown {
  const refuse = (what: string): never => {
    throw calledWrong(
      `${path} ${what} while the workflow is defined, and its value is known only when it runs. Pass the reference on, put it into a template string, or compute in a function step: step({ input: { … }, run })`,
    );
  };
  return new Proxy(() => {}, {
    get(_, name) {
      if (name === PATH) return path;
      if (name === Symbol.toPrimitive)
        return (hint: string) => (hint === "number" ? refuse("is computed with") : `{{ ${path} }}`);
      if (name === "toJSON") return () => `{{ ${path} }}`;
      if (name === Symbol.iterator || name === Symbol.asyncIterator) return refuse("is iterated over");
      // So that a reference can be returned from an async function.
      if (typeof name === "symbol" || name === "then") return undefined;
      if (/^\d+$/.test(name)) return recorded(`${path}[${name}]`);
      return recorded(/^[A-Za-z_]\w*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`);
    },
    apply: () => refuse("is called"),
    has: (_, name) => name === PATH || refuse("is looked into"),
    ownKeys: () => refuse("is spread or listed"),
    set: () => refuse("is written to"),
    deleteProperty: () => refuse("is written to"),
  });
}

/** Data that a file can hold: references as templates. `where` begins the sentence about what cannot be. */
export function written(value: unknown, where: string): unknown {
  const path = pathOf(value);
  if (path !== undefined) return `{{ ${path} }}`;
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((one, index) => written(one, `${where}[${index}]`));
  const proto = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (proto === Object.prototype || proto === null) {
    const said = Object.entries(value as object).filter(([, one]) => one !== undefined);
    return Object.fromEntries(said.map(([name, one]) => [name, written(one, `${where}.${name}`)]));
  }
  throw calledWrong(
    `${where} is ${typeof value === "object" ? "an object of a class" : shown(value)}, and a workflow holds plain data: texts, numbers, lists, mappings and references`,
  );
}

/** A reference in a text. */
const REF = /\{\{ ([\w.[\]"]+) \}\}/;

/**
 * The same where values keep their types: text around references is one expression, so that `1.${minor}` stays a text.
 * What a file writes there by itself is read again as a number, where it looks like one.
 */
export function typedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typedValue);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typedValue(one)]));
  if (typeof value !== "string") return value;
  const parts = value.split(REF);
  const around = parts.filter((_, index) => index % 2 === 0).join("");
  // No reference, one alone, or more of a template than references.
  if (parts.length === 1 || (parts.length === 3 && around === "") || /\{[{%#]/.test(around)) return value;
  const joined = parts.map((part, index) => (index % 2 === 1 || part === "" ? part : JSON.stringify(part)));
  return `{{ ${joined.filter((part) => part !== "").join(" ~ ")} }}`;
}
