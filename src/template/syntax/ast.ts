// What a template says, before anything is evaluated. Every node knows its place
// in the source, for errors and for the references of the validator.
import type { Arithmetic, Bitwise } from "../values/numbers.ts";
import type { Comparison } from "../values/operators.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Arguments {
  readonly positional: readonly Expr[];
  readonly named: readonly { readonly name: string; readonly value: Expr }[];
  /** `*more` and `**more`. */
  readonly spread: Expr | undefined;
  readonly spreadNamed: Expr | undefined;
}

/** Each kind of node by its type, with what it has beside its place. */
type NodesOf<Kinds> = { [Type in keyof Kinds]: Span & Readonly<{ type: Type } & Kinds[Type]> };

interface Expressions {
  const: { value: unknown };
  name: { name: string };
  attribute: { object: Expr; name: string };
  item: { object: Expr; index: Expr };
  slice: { object: Expr; from: Expr | undefined; to: Expr | undefined; step: Expr | undefined };
  call: { callee: Expr; args: Arguments };
  filter: { input: Expr; name: string; args: Arguments };
  test: { input: Expr; name: string; args: Arguments };
  list: { items: readonly Expr[] };
  tuple: { items: readonly Expr[] };
  dict: { entries: readonly { readonly key: Expr; readonly value: Expr }[] };
  not: { operand: Expr };
  sign: { operator: "+" | "-" | "~"; operand: Expr };
  binary: { operator: Arithmetic | Bitwise; left: Expr; right: Expr };
  and: { left: Expr; right: Expr };
  or: { left: Expr; right: Expr };
  concat: { parts: readonly Expr[] };
  compare: { first: Expr; rest: readonly { readonly operator: Comparison; readonly value: Expr }[] };
  choice: { condition: Expr; then: Expr; otherwise: Expr | undefined };
}

export type ExprOf<Type extends keyof Expressions> = NodesOf<Expressions>[Type];
export type Expr = ExprOf<keyof Expressions>;

export type Target =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "member"; readonly object: string; readonly name: string; readonly span: Span }
  | { readonly type: "names"; readonly targets: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly fallback: Expr | undefined;
}

export interface FilterStep extends Span {
  readonly name: string;
  readonly args: Arguments;
}

interface Statements {
  text: { text: string };
  output: { value: Expr };
  if: { branches: readonly { readonly condition: Expr; readonly body: Body }[]; otherwise: Body | undefined };
  for: {
    target: Target;
    over: Expr;
    filter: Expr | undefined;
    recursive: boolean;
    body: Body;
    otherwise: Body | undefined;
  };
  set: { target: Target; value: Expr };
  "set-block": { target: Target; filters: readonly FilterStep[]; body: Body };
  macro: { name: string; parameters: readonly Parameter[]; body: Body };
  "call-block": { parameters: readonly Parameter[]; call: ExprOf<"call">; body: Body };
  "filter-block": { filters: readonly FilterStep[]; body: Body };
  with: { bindings: readonly { readonly target: Target; readonly value: Expr }[]; body: Body };
  include: { name: Expr; ignoreMissing: boolean; withContext: boolean };
  import: { name: Expr; as: string; withContext: boolean };
  "from-import": { name: Expr; names: readonly { readonly name: string; readonly as: string }[]; withContext: boolean };
  extends: { name: Expr };
  block: { name: string; body: Body; scoped: boolean; required: boolean };
  do: { value: Expr };
}

export type StatementOf<Type extends keyof Statements> = NodesOf<Statements>[Type];
export type Statement = StatementOf<keyof Statements>;
export type Body = readonly Statement[];

export interface TemplateAst {
  readonly body: Body;
  /** Every name that some tag of this template binds; all others come from the context. */
  readonly bound: ReadonlySet<string>;
}

export const NO_ARGUMENTS: Arguments = { positional: [], named: [], spread: undefined, spreadNamed: undefined };

/** A name with attributes and items behind it and nothing else: `a.b`, `a['b'][0]`. */
export function isPath(node: Expr): boolean {
  switch (node.type) {
    case "name":
      return true;
    case "attribute":
      return isPath(node.object);
    case "item":
      return isPath(node.object) && (node.index.type === "const" || isPath(node.index));
    default:
      return false;
  }
}

/** `… | string`; of `a if b else c` it is enough that one way ends so. */
export function endsInString(node: Expr): boolean {
  if (node.type === "choice") return [node.then, node.otherwise].some((way) => way && endsInString(way));
  return node.type === "filter" && node.name === "string";
}

/** The expressions directly below a node, for walkers that treat most kinds alike. */
export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.type) {
    case "const":
    case "name":
      return [];
    case "attribute":
      return [node.object];
    case "item":
      return [node.object, node.index];
    case "slice":
      return [node.object, node.from, node.to, node.step].filter((part) => part !== undefined);
    case "call":
      return [node.callee, ...argumentsOf(node.args)];
    case "filter":
    case "test":
      return [node.input, ...argumentsOf(node.args)];
    case "list":
    case "tuple":
      return node.items;
    case "dict":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "not":
    case "sign":
      return [node.operand];
    case "binary":
    case "and":
    case "or":
      return [node.left, node.right];
    case "concat":
      return node.parts;
    case "compare":
      return [node.first, ...node.rest.map(({ value }) => value)];
    case "choice":
      return [node.condition, node.then, ...(node.otherwise ? [node.otherwise] : [])];
  }
}

export function argumentsOf(args: Arguments): readonly Expr[] {
  const spreads = [args.spread, args.spreadNamed].filter((part) => part !== undefined);
  return [...args.positional, ...args.named.map(({ value }) => value), ...spreads];
}
