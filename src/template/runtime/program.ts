// From source to something that runs: templates, and expressions on their own.

import { FILTERS, TESTS } from "../filters/filters.ts";
import { metered } from "../limits.ts";
import type { Body, Expr, StatementOf, TemplateAst } from "../syntax/ast.ts";
import { parseExpression, parseTemplate } from "../syntax/template-parser.ts";
import { type Dialect, type KnownNames, Positions } from "../syntax/token-stream.ts";
import type { Host, Operation } from "../values/thing.ts";
import { type Context, scopeOf, type Value } from "../values/value.ts";
import { compileExpression } from "./expressions.ts";
import {
  at,
  type BlockBody,
  type Compiler,
  type Evaluate,
  type ExecutableTemplate,
  Frame,
  NO_BLOCKS,
  type RenderOptions,
  type Run,
} from "./frame.ts";
import { GLOBALS } from "./globals.ts";
import { attribute, bodiesOf, item } from "./paths.ts";
import { compileBody } from "./statements.ts";

const KNOWN: KnownNames = { filter: FILTERS, test: TESTS };

const filter = (name: string): Operation | undefined => FILTERS.get(name);
const test = (name: string): Operation | undefined => TESTS.get(name);

function newHost(): Host {
  let picks = 0;
  // Spread out but not random: a run that is resumed must see what it saw before.
  const pick = (size: number): number => Math.floor(((++picks * 0.618_033_988_75) % 1) * size);
  return { attribute, item, filter, test, pick };
}

type UnknownName = Compiler["unknownName"];

function makeCompiler(
  positions: Positions,
  bound: ReadonlySet<string>,
  globals: ReadonlyMap<string, Value> = GLOBALS,
  unknownName?: UnknownName,
): Compiler {
  const compiler: Compiler = {
    positions,
    bound,
    globals,
    unknownName,
    expression: (node) => compileExpression(compiler, node),
    body: (body) => compileBody(compiler, body),
  };
  return compiler;
}

export function newRun(
  context: Context,
  options: RenderOptions | undefined,
  load: (source: string) => ExecutableTemplate,
): Run {
  return {
    scope: scopeOf(context),
    host: newHost(),
    load: (name) => {
      const source = options?.loader?.(name);
      return source === undefined ? undefined : load(source);
    },
    blocks: NO_BLOCKS,
    parent: undefined,
  };
}

export interface TemplateProgram extends ExecutableTemplate {
  readonly ast: TemplateAst;
  readonly positions: Positions;
  /** For a template that is nothing but one `{{ … }}`. */
  readonly single: { readonly node: Expr; readonly evaluate: Evaluate } | undefined;
}

export function compileTemplate(source: string): TemplateProgram {
  return metered(undefined, () => {
    const positions = new Positions(source);
    const ast = parseTemplate(positions, KNOWN);
    const compiler = makeCompiler(positions, ast.bound);
    const blocks = new Map<string, BlockBody>();
    for (const block of blocksIn(ast.body)) {
      blocks.set(block.name, { execute: compiler.body(block.body), required: block.required });
    }
    const node = singleOutput(ast.body);
    const single = node && { node, evaluate: at(compiler, node, compiler.expression(node)) };
    return { ast, positions, execute: compiler.body(ast.body), blocks, single };
  });
}

const blocksIn = (body: Body): StatementOf<"block">[] =>
  body.flatMap((node) => [...(node.type === "block" ? [node] : []), ...bodiesOf(node).flatMap(blocksIn)]);

function singleOutput(body: Body): Expr | undefined {
  const rest = body.filter((node) => node.type !== "text" || node.text.trim() !== "");
  const [only] = rest;
  return rest.length === 1 && only?.type === "output" ? only.value : undefined;
}

export interface ExpressionProgram {
  readonly node: Expr;
  readonly positions: Positions;
  readonly evaluate: Evaluate;
}

export function compileExpressionSource(
  source: string,
  dialect: Dialect = "jinja",
  globals: ReadonlyMap<string, Value> = GLOBALS,
  unknownName?: UnknownName,
): ExpressionProgram {
  return metered(undefined, () => {
    const { positions, expression } = parseExpression(source, KNOWN, dialect);
    const compiler = makeCompiler(positions, new Set(), globals, unknownName);
    return { node: expression, positions, evaluate: at(compiler, expression, compiler.expression(expression)) };
  });
}

export const newFrame = (...given: Parameters<typeof newRun>): Frame => new Frame(newRun(...given), undefined);
