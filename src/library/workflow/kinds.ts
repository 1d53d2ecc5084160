// Which kinds of errors steps raise, and which of them are left when routes have handled theirs: for the compiler alone.

/** What the engine can raise at any step. */
type Anywhere =
  | "internal.step_error"
  | "internal.template_error"
  | "internal.bad_value"
  | "internal.no_route"
  | "internal.timeout"
  | "policy.denied"
  | "circuit.open";

/** What the engine can raise, by the type of a step. */
export interface EngineKinds {
  readonly function: Anywhere | "internal.undeclared_kind";
  readonly script:
    | Anywhere
    | "internal.command_not_found"
    | "internal.resource_exhausted"
    | "internal.schema_violation"
    | "internal.undeclared_kind"
    | "internal.script_error";
  readonly agent:
    | Anywhere
    | "internal.schema_violation"
    | "internal.undeclared_kind"
    | "provider.exhausted"
    | "provider.rejected"
    | "provider.denied"
    | "mcp.tool_error"
    | "mcp.protocol_error";
  readonly http: Anywhere | "internal.schema_violation" | "http.unavailable" | "http.status" | "http.network";
  readonly mcp: Anywhere | "internal.schema_violation" | "mcp.tool_error" | "mcp.protocol_error";
  readonly set: Anywhere | "internal.schema_violation";
  readonly wait: Anywhere;
  readonly human_gate: Anywhere | "gate.timeout";
  readonly questions: Anywhere | "gate.timeout";
  readonly workflow: Anywhere | "internal.undeclared_kind" | "subworkflow.terminated" | "subworkflow.failed";
  readonly terminate: "internal.step_error" | "internal.template_error" | "internal.bad_value" | "policy.denied";
}

/** Stands for the `raises` of a script or an agent that has none: it may raise any kind. */
export type Undeclared = "*";

/** All that may leave such a step. */
export type Declared<Kind extends string> = Undeclared extends Kind ? string : never;

type Prefixes<Kind extends string> = Kind extends `${infer Head}.${infer Rest}`
  ? `${Head}.*` | `${Head}.${Prefixes<Rest>}`
  : never;

/** What `on` takes: a kind that the step can raise, the beginning of one with a star, or a star for all. */
export type Selector<Kind extends string> = Kind | Prefixes<Kind> | "*";

/** All kinds that a selector takes. */
type Selected<Pattern> = Pattern extends "*"
  ? string
  : Pattern extends `${infer Head}.*`
    ? `${Head}.${string}`
    : Pattern;

/** A route: of which step, what it handles for good, and what it raises itself. */
export interface Route<Name extends string = string, Handled = unknown, Raises = unknown> {
  readonly __route?: readonly [name: Name, handled: Handled, raises: Raises];
}

type HandledFor<Routes, Name extends string> =
  Routes extends Route<infer Of, infer Handled> ? (Name extends Of ? Selected<Handled> : never) : never;

type RaisedBy<Routes> = Routes extends Route<string, unknown, infer Raises> ? Raises : never;

/** The kinds that can leave a workflow, given those of its steps and its routes. A halt of a sub-workflow no route takes. */
export type LeftOver<Kinds extends Readonly<Record<string, string>>, Routes> =
  | { [Name in keyof Kinds & string]: Exclude<Kinds[Name], HandledFor<Routes, Name>> }[keyof Kinds & string]
  | Extract<Kinds[keyof Kinds & string], "halt.intentional">
  | Extract<RaisedBy<Routes>, string>;
