// Routes in code: `build.to(upload)`, `build.on("build.broken").retry({ max: 2 })`; and for the compiler, which kinds are
// left when routes have handled theirs.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import type { Envelope } from "../../../base/errors/index.ts";
import type { Mapping } from "../../../base/errors/mapping.ts";
import type { RouteFields } from "../../../frontends/library/from-schemas.ts";
import type { GateRead, StepRead } from "./node.ts";
import { type Ref, ref, type Text, typedValue, written } from "./ref.ts";

const NAME = Symbol("name");

/** Where a route can lead: a step, a group, or the end of the workflow. */
export interface Target {
  /** @internal */
  readonly [NAME]: string;
}

/** A route: of which step, what it handles for good, and what it raises itself. */
export interface Route<Name extends string = string, Handled = unknown, Raises = unknown> {
  readonly __route?: readonly [name: Name, handled: Handled, raises: Raises];
}

type Prefixes<Kind extends string> = Kind extends `${infer Head}.${infer Rest}`
  ? `${Head}.*` | `${Head}.${Prefixes<Rest>}`
  : never;

/** What `on` takes: a kind that the step can raise, the beginning of one with a star, or a star for all. */
type Selector<Kind extends string> = Kind | Prefixes<Kind> | "*";

/** All kinds that a selector takes. */
type Selected<Pattern> = Pattern extends "*"
  ? string
  : Pattern extends `${infer Head}.*`
    ? `${Head}.${string}`
    : Pattern;

type HandledFor<Routes, Name extends string> =
  Routes extends Route<infer Of, infer Handled> ? (Name extends Of ? Selected<Handled> : never) : never;

/** The kinds that can leave a workflow, given those of its steps and its routes. A halt of a sub-workflow no route takes. */
export type LeftOver<Kinds extends Readonly<Record<string, string>>, Routes> =
  | { [Name in keyof Kinds & string]: Exclude<Kinds[Name], HandledFor<Routes, Name>> }[keyof Kinds & string]
  | Extract<Kinds[keyof Kinds & string], "halt.intentional">
  | (Routes extends Route<string, unknown, infer Raises> ? Extract<Raises, string> : never);

/** What the condition of a route can read, beside all that templates can. */
interface InCondition<Reads> {
  readonly output: Reads extends StepRead<infer Output> ? Ref<Output> : Ref<Reads>;
  readonly error: Ref<Envelope>;
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
  /** Ends the whole run, with `halt.intentional`; with `resumable`, a resume runs the step again. */
  halt(message: Text, fields?: { readonly resumable?: boolean }): Route<Name, Handled, "halt.intentional">;
  /** Raises the error to the step of the parent workflow that called this one. */
  propagate(): Route<Name, never, never>;
}

/** A success route that has not said yet where it leads. */
type Onward<Name extends string> = { to(target: Target, fields?: EndOutput): Route<Name, never, never> };

/** A member of a group: it may be tried again, and where it leads is its group's to say. */
interface RoutedMember<Name extends string, Reads, Kind extends string> {
  on<const Pattern extends Selector<Kind>>(
    ...kinds: readonly [Pattern, ...Pattern[]]
  ): RetriedMember<Name, Reads> & {
    /** Only where this holds. */
    when(condition: Condition<Reads>): RetriedMember<Name, Reads>;
  };
}
interface RetriedMember<Name extends string, Reads> {
  readonly __reads?: Reads;
  retry(retry: Retry): Route<Name, never, never>;
}

/** Of a group: its members by their names, or the step that it runs for each item. */
type Members<Name extends string, Reads, Kind extends string> = Reads extends { readonly outputs: infer Outputs }
  ? Outputs extends readonly (infer Output)[]
    ? { readonly item: RoutedMember<Name, StepRead<Output>, Kind> }
    : { readonly members: { readonly [One in keyof Outputs]: RoutedMember<Name, StepRead<Outputs[One]>, Kind> } }
  : unknown;

/** A step or a group, to lead on from. */
export type RoutedNode<Name extends string, Reads, Kind extends string> = Routed<Name, Reads, Kind> &
  Members<Name, Reads, Kind>;

export interface Routed<Name extends string, Reads, Kind extends string> extends Target, Onward<Name> {
  /** Only where this holds. */
  when(condition: Condition<Reads>): Onward<Name>;
  /** When it raised one of these kinds: `build.broken`, `http.*`, or `*` for every error. */
  on<const Pattern extends Selector<Kind>>(...kinds: readonly [Pattern, ...Pattern[]]): OnError<Name, Reads, Pattern>;
  /** Of a gate: when this was chosen. */
  chose(choice: Reads extends GateRead<infer Choice> ? Choice : never): Onward<Name>;
}

/** A route as a file has it. */
export interface WrittenRoute {
  /** The step; nothing for those of the whole workflow. */
  readonly node: string | undefined;
  readonly fields: Mapping;
  /** Of a gate. */
  readonly choice?: string;
  /** Of a group: the member whose route it is. */
  readonly member?: string;
}

/** Stands for the step of a `forEach`, which has no name of its own. */
export const ITEM = "item";

export const END: Target = { [NAME]: "$end" };

const conditionText = (condition: Condition<never>): unknown => {
  const names = { output: ref("output"), error: ref("error") };
  return written(typeof condition === "function" ? condition(names as never) : condition, "when");
};

const selectorOf = (kinds: readonly string[]): unknown =>
  kinds.includes("*") ? true : kinds.length === 1 ? kinds[0] : kinds;

const routedMember = (node: string, member: string): object => {
  const retried = (before: Mapping): object => ({
    retry: (retry: Retry): WrittenRoute => ({ node, member, fields: { ...before, retry } }),
  });
  return {
    on: (...kinds: readonly string[]) => {
      const before = { on_error: selectorOf(kinds) };
      return {
        ...retried(before),
        when: (condition: Condition<never>) => retried({ ...before, when: conditionText(condition) }),
      };
    },
  };
};

/** The routes of a group in the making, those of its members among them: of a `forEach` without their names. */
export const routedGroup = (node: string, members: readonly string[] | undefined): object => ({
  ...routedNode(node),
  ...(members
    ? { members: Object.fromEntries(members.map((member) => [member, routedMember(node, member)])) }
    : { item: routedMember(node, ITEM) }),
});

/** The routes of one step, or of every step, in the making. */
export function routedNode(node: string | undefined): Routed<string, unknown, string> {
  const onward = (before: Mapping, choice?: string) => ({
    to: (target: Partial<Target> | undefined, { output, retry }: RouteFields = {}): WrittenRoute => {
      const to = target?.[NAME];
      if (to === undefined)
        throw calledWrong("a route leads to a step of this workflow, as `routes` was given it, or to `end`");
      const end = output === undefined ? {} : { output: typedValue(written(output, "output")) };
      const fields = { ...before, to, ...(retry === undefined ? {} : { retry }), ...end };
      return { node, fields, ...(choice === undefined ? {} : { choice }) };
    },
  });
  const onError = (before: Mapping): object => ({
    ...onward(before),
    when: (condition: Condition<never>) => onError({ ...before, when: conditionText(condition) }),
    retry: (retry: Retry): WrittenRoute => ({ node, fields: { ...before, retry } }),
    halt: (said: Text, fields = {}): WrittenRoute => ({
      node,
      fields: { ...before, halt: { message: written(said, "halt"), ...fields } },
    }),
    propagate: (): WrittenRoute => ({ node, fields: { ...before, propagate: true } }),
  });
  // Which kinds are handled is known to the compiler alone.
  return {
    [NAME]: node ?? "",
    ...onward({}),
    when: (condition: Condition<never>) => onward({ when: conditionText(condition) }),
    on: (...kinds: readonly string[]) => onError({ on_error: selectorOf(kinds) }),
    chose: (choice: string) => onward({}, choice),
  } as never;
}
