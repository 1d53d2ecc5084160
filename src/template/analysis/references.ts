// Which paths of the context a template reads, without running it. The validator holds
// them against the steps and inputs of the workflow.
import { GLOBALS } from "../runtime/globals.ts";
import type { Body, Expr, FilterStep, Parameter, Statement, TemplateAst } from "../syntax/ast.ts";
import { lexExpression, lexTemplate } from "../syntax/lexer.ts";
import { targetNames } from "../syntax/primary-parser.ts";
import { type Place, Positions, type Token } from "../syntax/token-stream.ts";
import { ExpressionWalker, Names, type Path, type Reference } from "./expression-walker.ts";

export function templateReferences(ast: TemplateAst, positions: Positions): readonly Reference[] {
  const walker = new ExpressionWalker(positions, GLOBALS);
  walkBody(walker, ast.body, new Names(), []);
  return walker.found;
}

export function expressionReferencesOf(
  node: Expr,
  positions: Positions,
  functions: ReadonlyMap<string, unknown> = GLOBALS,
): readonly Reference[] {
  const walker = new ExpressionWalker(positions, functions);
  walker.walk(node, new Names(), []);
  return walker.found;
}

type Guards = readonly Path[];

function walkBody(walker: ExpressionWalker, body: Body, names: Names, guards: Guards): void {
  for (const statement of body) walkStatement(walker, statement, names, guards);
}

function walkStatement(walker: ExpressionWalker, node: Statement, names: Names, guards: Guards): void {
  switch (node.type) {
    case "text":
      return;
    case "output":
    case "do":
      walker.walk(node.value, names, guards);
      return;
    case "if":
      walkIf(walker, node, names, guards);
      return;
    case "for":
      walkFor(walker, node, names, guards);
      return;
    case "set":
      walker.walk(node.value, names, guards);
      names.add(...targetNames(node.target));
      return;
    case "set-block":
      walkFilters(walker, node.filters, names, guards);
      walkBody(walker, node.body, new Names(names), guards);
      names.add(...targetNames(node.target));
      return;
    case "filter-block":
      walkFilters(walker, node.filters, names, guards);
      walkBody(walker, node.body, new Names(names), guards);
      return;
    case "macro":
      names.add(node.name);
      walkMacro(walker, node.parameters, node.body, names, guards);
      return;
    case "call-block":
      walker.walk(node.call, names, guards);
      walkMacro(walker, node.parameters, node.body, names, guards);
      return;
    case "with": {
      const inner = new Names(names);
      for (const { target, value } of node.bindings) {
        walker.walk(value, names, guards);
        inner.add(...targetNames(target));
      }
      walkBody(walker, node.body, inner, guards);
      return;
    }
    case "import":
      walker.walk(node.name, names, guards);
      names.add(node.as);
      return;
    case "from-import":
      walker.walk(node.name, names, guards);
      names.add(...node.names.map(({ as }) => as));
      return;
    case "include":
    case "extends":
      walker.walk(node.name, names, guards);
      return;
    case "block":
      walkBody(walker, node.body, new Names(names).add("super", "self"), guards);
  }
}

/** Every branch knows what its condition tested, and what the ones before it did not find. */
function walkIf(
  walker: ExpressionWalker,
  node: Extract<Statement, { type: "if" }>,
  names: Names,
  guards: Guards,
): void {
  let known = guards;
  for (const { condition, body } of node.branches) {
    walker.walk(condition, names, known);
    const { whenTrue, whenFalse } = walker.guardsOf(condition, names);
    walkBody(walker, body, names, [...known, ...whenTrue]);
    known = [...known, ...whenFalse];
  }
  if (node.otherwise) walkBody(walker, node.otherwise, names, known);
}

function walkFor(
  walker: ExpressionWalker,
  node: Extract<Statement, { type: "for" }>,
  names: Names,
  guards: Guards,
): void {
  walker.walk(node.over, names, guards);
  const inner = new Names(names).add(...targetNames(node.target));
  if (node.filter) walker.walk(node.filter, inner, guards);
  const known = node.filter ? walker.guardsOf(node.filter, inner).whenTrue : [];
  walkBody(walker, node.body, new Names(inner).add("loop"), [...guards, ...known]);
  if (node.otherwise) walkBody(walker, node.otherwise, new Names(names), guards);
}

function walkFilters(walker: ExpressionWalker, filters: readonly FilterStep[], names: Names, guards: Guards): void {
  for (const { args } of filters) walker.walkArguments(args, names, guards);
}

function walkMacro(
  walker: ExpressionWalker,
  parameters: readonly Parameter[],
  body: Body,
  names: Names,
  guards: Guards,
): void {
  const inner = new Names(names).add("caller", "varargs", "kwargs");
  for (const { name, fallback } of parameters) {
    if (fallback) walker.walk(fallback, inner, guards);
    inner.add(name);
  }
  walkBody(walker, body, inner, guards);
}

export interface Constants {
  /** The text outside of tags, piece by piece. */
  readonly texts: readonly string[];
  /** Strings and numbers inside tags. */
  readonly literals: readonly string[];
}

/** Throws `TemplateError` for what is no template. */
export function constantsOf(source: string): Constants {
  const tokens = lexTemplate(new Positions(source));
  return {
    texts: tokens.filter(({ type }) => type === "text").map(({ value }) => value),
    literals: tokens
      .filter(({ type }) => type === "string" || type === "int" || type === "float")
      .map(({ value }) => value),
  };
}

/**
 * Where a template or condition says `null`, which is read as `none`. Tokens are enough to find it: `'null'` is text,
 * `x.null` a field, `f(null=1)` the name of an argument. The places of `null` in a source that parses; a bare source is
 * an expression.
 */
export function nullsIn(source: string, bare: boolean): readonly Place[] {
  if (!/\bnull\b/.test(source)) return [];
  const positions = new Positions(source);
  const tokens = bare ? lexExpression(positions, "condition") : lexTemplate(positions);
  return tokens
    .filter((token, index) => isNull(token, tokens[index - 1], tokens[index + 1]))
    .map(({ start }) => positions.at(start));
}

const isOp = (token: Token | undefined, value: string): boolean => token?.type === "op" && token.value === value;

const isNull = (token: Token, before: Token | undefined, after: Token | undefined): boolean =>
  token.type === "name" && token.value === "null" && !isOp(before, ".") && !isOp(after, "=");
