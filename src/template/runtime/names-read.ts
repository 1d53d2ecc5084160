// Which names a body reads anywhere, nested macros included.

import {
  argumentsOf,
  type Body,
  childrenOf,
  type Expr,
  type FilterStep,
  type Parameter,
  type Statement,
} from "../syntax/ast.ts";

export function namesReadIn(body: Body): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: Expr): void => {
    if (node.type === "name") names.add(node.name);
    childrenOf(node).forEach(visit);
  };
  const visitBody = (statements: Body): void => {
    for (const statement of statements) {
      expressionsOf(statement).forEach(visit);
      bodiesOf(statement).forEach(visitBody);
    }
  };
  visitBody(body);
  return names;
}

function ofFilters(filters: readonly FilterStep[]): readonly Expr[] {
  return filters.flatMap((filter) => argumentsOf(filter.args));
}

function ofParameters(parameters: readonly Parameter[]): readonly Expr[] {
  return parameters.flatMap(({ fallback }) => (fallback ? [fallback] : []));
}

/** The expressions a statement holds itself. */
function expressionsOf(node: Statement): readonly Expr[] {
  switch (node.type) {
    case "text":
    case "block":
      return [];
    case "output":
    case "set":
    case "do":
      return [node.value];
    case "if":
      return node.branches.map(({ condition }) => condition);
    case "for":
      return node.filter ? [node.over, node.filter] : [node.over];
    case "set-block":
    case "filter-block":
      return ofFilters(node.filters);
    case "macro":
      return ofParameters(node.parameters);
    case "call-block":
      return [node.call, ...ofParameters(node.parameters)];
    case "with":
      return node.bindings.map(({ value }) => value);
    case "include":
    case "import":
    case "from-import":
    case "extends":
      return [node.name];
  }
}

/** The bodies inside a statement. */
export function bodiesOf(node: Statement): readonly Body[] {
  switch (node.type) {
    case "if":
      return [...node.branches.map(({ body }) => body), ...(node.otherwise ? [node.otherwise] : [])];
    case "for":
      return node.otherwise ? [node.body, node.otherwise] : [node.body];
    case "set-block":
    case "filter-block":
    case "macro":
    case "call-block":
    case "with":
    case "block":
      return [node.body];
    default:
      return [];
  }
}
