// Routes in code: `build.to(upload)`, `build.on("build.broken").retry({ max: 2 })`.
import type { Mapping } from "../../errors/mapping.ts";
import type { RouteFields } from "../from-schemas.ts";
import type { Route, Selector } from "./kinds.ts";
import type { ErrorRead, StepRead } from "./node.ts";
import { type Ref, ref, type Text, typedValue, written } from "./ref.ts";

const NAME = Symbol("name");

/** Where a route can lead: a step, a group, or the end of the workflow. */
export interface Target {
  /** @internal */
  readonly [NAME]: string;
}

/** What the condition of a route can read, beside all that templates can. */
interface InCondition<Reads> {
  readonly output: Reads extends StepRead<infer Output> ? Ref<Output> : Ref<Reads>;
  readonly error: Ref<ErrorRead>;
}

/** An expression such as `score > 5 and valid`, or a reference. */
type Condition<Reads> = string | ((names: InCondition<Reads>) => Text);

type Retry = NonNullable<RouteFields["retry"]>;
type EndOutput = Pick<RouteFields, "output">;

/** An error route that has not said yet what it does. `Handled` are the kinds that end with it. */
interface OnError<Name extends string, Reads, Handled> {
  /** Only where this holds. */
  when(condition: Condition<Reads>): OnError<Name, Reads, never>;
  /** Goes to that step; with `retry`, at most so many times. */
  to(target: Target, fields: { readonly retry: Retry } & EndOutput): Route<Name, never, never>;
  to(target: Target, fields?: EndOutput): Route<Name, Handled, never>;
  /** Runs the step again. */
  retry(retry: Retry): Route<Name, never, never>;
  /** Ends the whole run, with `halt.intentional`. */
  halt(message: Text): Route<Name, Handled, "halt.intentional">;
  /** Raises the error to the step of the parent workflow that called this one. */
  propagate(): Route<Name, never, never>;
}

/** A success route that has not said yet where it leads. */
interface Onward<Name extends string> {
  to(target: Target, fields?: EndOutput): Route<Name, never, never>;
}

/** A step or a group, to lead on from. */
export interface Routed<Name extends string, Reads, Kind extends string, Choice> extends Target, Onward<Name> {
  /** Only where this holds. */
  when(condition: Condition<Reads>): Onward<Name>;
  /** When it raised one of these kinds: `build.broken`, `http.*`, or `*` for every error. */
  on<const Pattern extends Selector<Kind>>(...kinds: readonly [Pattern, ...Pattern[]]): OnError<Name, Reads, Pattern>;
  /** Of a gate: when this was chosen. */
  chose(choice: Choice): Onward<Name>;
}

/** For every step and group, after their own error routes. */
export type EveryStep<Kind extends string> = Pick<Routed<string, unknown, Kind, never>, "on">;

/** A route as a file has it. */
export interface WrittenRoute {
  /** The step; nothing for those of the whole workflow. */
  readonly node: string | undefined;
  readonly fields: Mapping;
  /** Of a gate. */
  readonly choice?: string;
}

export const END: Target = { [NAME]: "$end" };

const conditionText = (condition: Condition<never>): unknown => {
  const names = { output: ref("output"), error: ref("error") };
  return written(typeof condition === "function" ? condition(names as never) : condition, "when");
};

const nameOf = (target: unknown): string => {
  const name = (target as Partial<Target> | undefined)?.[NAME];
  if (name === undefined)
    throw new TypeError("a route leads to a step of this workflow, as `routes` was given it, or to `end`");
  return name;
};

/** The routes of one step, or of every step, in the making. */
export function routedNode(node: string | undefined): Routed<string, unknown, string, string> {
  const route = (fields: Mapping, choice?: string): Route =>
    ({ node, fields, ...(choice === undefined ? {} : { choice }) }) as Route;
  const end = ({ output, retry }: RouteFields = {}): Mapping => ({
    ...(retry === undefined ? {} : { retry }),
    ...(output === undefined ? {} : { output: typedValue(written(output, "output")) }),
  });
  const onward = (before: Mapping, choice?: string) => ({
    to: (target: Target, fields?: RouteFields) => route({ ...before, to: nameOf(target), ...end(fields) }, choice),
  });
  const onError = (before: Mapping): OnError<string, unknown, unknown> =>
    ({
      ...onward(before),
      when: (condition: Condition<never>) => onError({ ...before, when: conditionText(condition) }),
      retry: (retry: Retry) => route({ ...before, retry }),
      halt: (message: Text) => route({ ...before, halt: { message: written(message, "halt") } }),
      propagate: () => route({ ...before, propagate: true }),
    }) as never;
  return {
    [NAME]: node ?? "",
    ...onward({}),
    when: (condition: Condition<never>) => onward({ when: conditionText(condition) }),
    on: (...kinds: readonly string[]) =>
      onError({ on_error: kinds.includes("*") ? true : kinds.length === 1 ? kinds[0] : kinds }),
    chose: (choice: string) => onward({}, choice),
  } as never;
}
