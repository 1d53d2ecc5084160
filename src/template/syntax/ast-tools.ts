import type { Arguments, Expr } from "./ast.ts";

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
