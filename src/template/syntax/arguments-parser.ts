// The arguments of a call, a filter or a test: positional, named, `*list`, `**mapping`.

import type { Arguments, Expr } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";

interface ParsesExpressions {
  readonly stream: TokenStream;
  expression(): Expr;
}

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
