// What stands left of `=` and of `in`: a name, several, or a member of a namespace.

import type { Expr, Parameter, Target } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";

interface BindsNames {
  readonly stream: TokenStream;
  readonly expressions: { expression(): Expr };
  readonly bound: Set<string>;
}

const CONSTANTS: ReadonlySet<string> = new Set(["true", "false", "none", "True", "False", "None"]);

export function bindName(parser: BindsNames): string {
  const { value, start } = parser.stream.expect("name");
  if (CONSTANTS.has(value)) parser.stream.fail(`'${value}' is a constant and cannot be a name.`, start);
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
