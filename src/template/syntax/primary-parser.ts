// What an expression starts from (a name, a constant, or something in brackets), and what a tag binds: targets.
import { float } from "../values/float.ts";
import { parseInteger } from "../values/numbers.ts";
import type { Arguments, Expr, Parameter, Target } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";

interface ParsesExpressions {
  readonly stream: TokenStream;
  expression(): Expr;
  tuple(): Expr;
}

/** Jinja2 knows no `null`, and people write it. `null-in-template` says so. */
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>(
  Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null, null: null }),
);

export function parsePrimary(parser: ParsesExpressions): Expr {
  const { stream } = parser;
  const { type, value, start, end } = stream.current;
  switch (type) {
    case "name":
      stream.next();
      if (CONSTANTS.has(value)) return { type: "const", value: CONSTANTS.get(value), start, end };
      return { type: "name", name: value, start, end };
    case "string": {
      let text = "";
      while (stream.is("string")) text += stream.next().value;
      return { type: "const", value: text, start, end: stream.endOfLast };
    }
    case "int":
      stream.next();
      return { type: "const", value: parseInteger(value), start, end };
    case "float":
      stream.next();
      return { type: "const", value: float(Number(value)), start, end };
    case "op":
      if (value === "(") return parseParenthesized(parser);
      if (value === "[") return parseList(parser);
      return value === "{" ? parseDict(parser) : stream.unexpected();
    default:
      return stream.unexpected();
  }
}

function parseParenthesized(parser: ParsesExpressions): Expr {
  const { stream } = parser;
  const start = stream.next().start;
  const empty = stream.skipOp(")");
  if (empty) return { type: "tuple", items: [], start, end: empty.end };
  const inner = parser.tuple();
  return { ...inner, start, end: stream.expect("op", ")").end };
}

function parseList(parser: ParsesExpressions): Expr {
  const { stream } = parser;
  const start = stream.next().start;
  const items = separated(stream, "]", () => parser.expression());
  return { type: "list", items, start, end: stream.expect("op", "]").end };
}

function parseDict(parser: ParsesExpressions): Expr {
  const { stream } = parser;
  const start = stream.next().start;
  const entries = separated(stream, "}", () => {
    const key = parser.expression();
    stream.expect("op", ":");
    return { key, value: parser.expression() };
  });
  return { type: "dict", entries, start, end: stream.expect("op", "}").end };
}

/** Items with commas between them, and perhaps after the last. */
function separated<T>(stream: TokenStream, close: string, parse: () => T): T[] {
  const items: T[] = [];
  while (!stream.isOp(close)) {
    if (items.length > 0) stream.expect("op", ",");
    if (stream.isOp(close)) break;
    items.push(parse());
  }
  return items;
}

/** The arguments of a call, a filter or a test: positional, named, `*list`, `**mapping`. */
export function parseArguments(parser: ParsesExpressions): Arguments {
  const { stream } = parser;
  stream.expect("op", "(");
  const positional: Expr[] = [];
  const named: { name: string; value: Expr }[] = [];
  let spread: Expr | undefined;
  let spreadNamed: Expr | undefined;
  for (let first = true; !stream.isOp(")"); first = false) {
    if (!first) stream.expect("op", ",");
    if (stream.isOp(")")) break;
    if (stream.skipOp("*")) {
      if (spread || spreadNamed) stream.unexpected();
      spread = parser.expression();
    } else if (stream.skipOp("**")) {
      if (spreadNamed) stream.unexpected();
      spreadNamed = parser.expression();
    } else if (stream.is("name") && stream.peek().type === "op" && stream.peek().value === "=") {
      if (spreadNamed) stream.unexpected();
      const name = stream.next().value;
      stream.next();
      named.push({ name, value: parser.expression() });
    } else {
      if (named.length > 0 || spread || spreadNamed) stream.fail("An argument without a name cannot follow these.");
      positional.push(parser.expression());
    }
  }
  stream.expect("op", ")");
  return { positional, named, spread, spreadNamed };
}

interface BindsNames {
  readonly stream: TokenStream;
  readonly expressions: { expression(): Expr };
  readonly bound: Set<string>;
}

const NO_TARGETS: ReadonlySet<string> = new Set(["true", "false", "none", "True", "False", "None"]);

export function bindName(parser: BindsNames): string {
  const { value, start } = parser.stream.expect("name");
  if (NO_TARGETS.has(value)) parser.stream.fail(`'${value}' is a constant and cannot be a name.`, start);
  parser.bound.add(value);
  return value;
}

export function parseTarget(parser: BindsNames, ends: readonly string[], withMembers = false): Target {
  const { stream } = parser;
  const first = oneTarget(parser, withMembers);
  if (!stream.isOp(",")) return first;
  const targets = [first];
  while (stream.skipOp(",")) {
    if (stream.isOp("=", ")") || (ends.length > 0 && stream.isWord(...ends))) break;
    targets.push(oneTarget(parser, withMembers));
  }
  return { type: "names", targets };
}

export function targetNames(target: Target): readonly string[] {
  switch (target.type) {
    case "name":
      return [target.name];
    case "member":
      return [];
    case "names":
      return target.targets.flatMap(targetNames);
  }
}

function oneTarget(parser: BindsNames, withMembers: boolean): Target {
  const { stream } = parser;
  if (stream.skipOp("(")) {
    const target = stream.nested(() => parseTarget(parser, []));
    stream.expect("op", ")");
    return target;
  }
  if (withMembers && stream.is("name") && stream.peek().type === "op" && stream.peek().value === ".") {
    const { value: object, start } = stream.next();
    stream.next();
    const { value: name, end } = stream.expect("name");
    return { type: "member", object, name, span: { start, end } };
  }
  return { type: "name", name: bindName(parser) };
}

export function parseParameters(parser: BindsNames): readonly Parameter[] {
  const { stream } = parser;
  const parameters: Parameter[] = [];
  stream.expect("op", "(");
  while (!stream.isOp(")")) {
    if (parameters.length > 0) stream.expect("op", ",");
    const { start } = stream.current;
    const name = bindName(parser);
    const fallback = stream.skipOp("=") ? parser.expressions.expression() : undefined;
    if (!fallback && parameters.at(-1)?.fallback) stream.fail("A parameter without a default follows one with.", start);
    parameters.push({ name, fallback });
  }
  stream.expect("op", ")");
  return parameters;
}
