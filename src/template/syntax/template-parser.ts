// A whole template: text, outputs, and tags. What each tag looks like inside is in
// tag-parsers.ts; here is how bodies nest and end.

import type { Body, Statement, TemplateAst } from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import { lexExpression, lexTemplate } from "./lexer.ts";
import { type KnownNames, SPECIAL_NAMES } from "./names.ts";
import { Positions } from "./positions.ts";
import { TAG_PARSERS, type TemplateParts } from "./tag-parsers.ts";
import { type Dialect, TokenStream } from "./token-stream.ts";

export function parseTemplate(positions: Positions, known: KnownNames): TemplateAst {
  const stream = new TokenStream(positions, lexTemplate(positions));
  const parser = new TemplateParser(stream, new ExpressionParser(stream, known));
  const body = parser.body([]);
  return { body, bound: parser.bound };
}

export function parseExpression(source: string, known: KnownNames, dialect: Dialect = "jinja") {
  const positions = new Positions(source);
  const stream = new TokenStream(positions, lexExpression(positions, dialect));
  const expression = new ExpressionParser(stream, known, dialect).tuple();
  if (stream.isOp("=")) stream.fail("`=` compares nothing: write `==`.");
  if (!stream.is("end")) stream.unexpected("the end of the expression");
  return { positions, expression };
}

class TemplateParser implements TemplateParts {
  readonly bound = new Set(SPECIAL_NAMES);
  readonly blocks = new Set<string>();
  private readonly open: { readonly tag: string; readonly start: number }[] = [];

  constructor(
    readonly stream: TokenStream,
    readonly expressions: ExpressionParser,
  ) {}

  /** Statements up to one of these tags, which is left in the stream after its `{%`. */
  body(ends: readonly string[]): Body {
    const { stream } = this;
    const statements: Statement[] = [];
    for (;;) {
      const token = stream.current;
      switch (token.type) {
        case "text":
          stream.next();
          statements.push({ type: "text", text: token.value, start: token.start, end: token.end });
          break;
        case "output-begin": {
          stream.next();
          const value = this.expressions.tuple();
          stream.expect("output-end");
          statements.push({ type: "output", value, start: value.start, end: value.end });
          break;
        }
        case "tag-begin":
          stream.next();
          if (stream.is("name") && ends.includes(stream.current.value)) return statements;
          statements.push(this.tag(token.start));
          break;
        default:
          if (ends.length > 0) this.unclosed(ends);
          return statements;
      }
    }
  }

  private tag(start: number): Statement {
    const { stream } = this;
    const name = stream.expect("name");
    const parse = TAG_PARSERS.get(name.value);
    if (!parse) return this.unknownTag(name.value, name.start);
    this.open.push({ tag: name.value, start });
    const statement = stream.nested(() => parse(this, name.start));
    this.open.pop();
    stream.expect("tag-end");
    return statement;
  }

  private unknownTag(name: string, start: number): never {
    const open = this.open.at(-1);
    const innermost = open ? ` The tag that is open here is '${open.tag}' of line ${this.line(open.start)}.` : "";
    const what = name.startsWith("end") || name.startsWith("el") ? "has nothing to close or continue" : "is not a tag";
    return this.stream.fail(`'${name}' ${what}.${innermost}`, start);
  }

  private unclosed(ends: readonly string[]): never {
    const open = this.open.at(-1)!;
    const closing = ends.map((end) => `'${end}'`).join(" or ");
    return this.stream.fail(`The tag '${open.tag}' is not closed: ${closing} is missing.`, open.start);
  }

  private line(offset: number): number {
    return this.stream.positions.at(offset).line;
  }
}
