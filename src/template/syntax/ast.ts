// What a template says, before anything is evaluated. Every node knows its place
// in the source, for errors and for the references of the validator.
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

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export type Expr = Span &
  (
    | { readonly type: "const"; readonly value: unknown }
    | { readonly type: "name"; readonly name: string }
    | { readonly type: "attribute"; readonly object: Expr; readonly name: string }
    | { readonly type: "item"; readonly object: Expr; readonly index: Expr }
    | {
        readonly type: "slice";
        readonly object: Expr;
        readonly from: Expr | undefined;
        readonly to: Expr | undefined;
        readonly step: Expr | undefined;
      }
    | { readonly type: "call"; readonly callee: Expr; readonly args: Arguments }
    | { readonly type: "filter"; readonly input: Expr; readonly name: string; readonly args: Arguments }
    | { readonly type: "test"; readonly input: Expr; readonly name: string; readonly args: Arguments }
    | { readonly type: "list"; readonly items: readonly Expr[] }
    | { readonly type: "tuple"; readonly items: readonly Expr[] }
    | { readonly type: "dict"; readonly entries: readonly { readonly key: Expr; readonly value: Expr }[] }
    | { readonly type: "not"; readonly operand: Expr }
    | { readonly type: "sign"; readonly operator: "+" | "-"; readonly operand: Expr }
    | { readonly type: "binary"; readonly operator: BinaryOperator; readonly left: Expr; readonly right: Expr }
    | { readonly type: "and" | "or"; readonly left: Expr; readonly right: Expr }
    | { readonly type: "concat"; readonly parts: readonly Expr[] }
    | {
        readonly type: "compare";
        readonly first: Expr;
        readonly rest: readonly { readonly operator: Comparison; readonly value: Expr }[];
      }
    | {
        readonly type: "choice";
        readonly condition: Expr;
        readonly then: Expr;
        readonly otherwise: Expr | undefined;
      }
  );

export type ExprOf<T extends Expr["type"]> = Extract<Expr, { readonly type: T }>;

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

export type Body = readonly Statement[];

export interface MacroNode extends Span {
  readonly type: "macro";
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body;
}

export interface CallBlockNode extends Span {
  readonly type: "call-block";
  readonly parameters: readonly Parameter[];
  readonly call: ExprOf<"call">;
  readonly body: Body;
}

export interface ForNode extends Span {
  readonly type: "for";
  readonly target: Target;
  readonly over: Expr;
  readonly filter: Expr | undefined;
  readonly recursive: boolean;
  readonly body: Body;
  readonly otherwise: Body | undefined;
}

export interface BlockNode extends Span {
  readonly type: "block";
  readonly name: string;
  readonly body: Body;
  readonly scoped: boolean;
  readonly required: boolean;
}

export interface IncludeNode extends Span {
  readonly type: "include";
  readonly name: Expr;
  readonly ignoreMissing: boolean;
  readonly withContext: boolean;
}

export interface ImportNode extends Span {
  readonly type: "import";
  readonly name: Expr;
  readonly as: string;
  readonly withContext: boolean;
}

export interface FromImportNode extends Span {
  readonly type: "from-import";
  readonly name: Expr;
  readonly names: readonly { readonly name: string; readonly as: string }[];
  readonly withContext: boolean;
}

export type Statement =
  | (Span & { readonly type: "text"; readonly text: string })
  | (Span & { readonly type: "output"; readonly value: Expr })
  | (Span & {
      readonly type: "if";
      readonly branches: readonly { readonly condition: Expr; readonly body: Body }[];
      readonly otherwise: Body | undefined;
    })
  | ForNode
  | (Span & { readonly type: "set"; readonly target: Target; readonly value: Expr })
  | (Span & {
      readonly type: "set-block";
      readonly target: Target;
      readonly filters: readonly FilterStep[];
      readonly body: Body;
    })
  | MacroNode
  | CallBlockNode
  | (Span & { readonly type: "filter-block"; readonly filters: readonly FilterStep[]; readonly body: Body })
  | (Span & {
      readonly type: "with";
      readonly bindings: readonly { readonly target: Target; readonly value: Expr }[];
      readonly body: Body;
    })
  | IncludeNode
  | ImportNode
  | FromImportNode
  | (Span & { readonly type: "extends"; readonly name: Expr })
  | BlockNode
  | (Span & { readonly type: "do"; readonly value: Expr });

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
