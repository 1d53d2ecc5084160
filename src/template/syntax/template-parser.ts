// A whole template: text, outputs, and tags, how bodies nest and end, and what each tag looks like inside.
import type { Body, Expr, Parameter, Statement, Target, TemplateAst } from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import { lexExpression, lexTemplate } from "./lexer.ts";
import { bindName, parseParameters, parseTarget, targetNames } from "./primary-parser.ts";
import { type Dialect, type KnownNames, Positions, SPECIAL_NAMES, TokenStream } from "./token-stream.ts";

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

class TemplateParser {
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

type TagParser = (parts: TemplateParser, start: number) => Statement;

const TAG_PARSERS: ReadonlyMap<string, TagParser> = new Map<string, TagParser>([
  ["if", parseIf],
  ["for", parseFor],
  ["set", parseSet],
  ["macro", parseMacro],
  ["call", parseCall],
  ["filter", parseFilter],
  ["with", parseWith],
  ["include", parseInclude],
  ["import", parseImport],
  ["from", parseFromImport],
  ["extends", parseExtends],
  ["block", parseBlock],
  ["do", parseDo],
  ["print", parsePrint],
]);

/** The body of a tag, from its `%}` to the closing tag, whose name is taken. */
function bodyUntil(parts: TemplateParser, ...ends: readonly string[]): { body: Body; end: string } {
  parts.stream.expect("tag-end");
  const body = parts.body(ends);
  return { body, end: parts.stream.next().value };
}

function parseIf(parts: TemplateParser, start: number): Statement {
  const branches: { condition: Expr; body: Body }[] = [];
  for (;;) {
    const condition = parts.expressions.tuple(false);
    const { body, end } = bodyUntil(parts, "elif", "else", "endif");
    branches.push({ condition, body });
    if (end === "elif") continue;
    const otherwise = end === "else" ? bodyUntil(parts, "endif").body : undefined;
    return { type: "if", branches, otherwise, start, end: parts.stream.endOfLast };
  }
}

function parseFor(parts: TemplateParser, start: number): Statement {
  const { stream, expressions } = parts;
  const { start: at } = stream.current;
  const target = parseTarget(parts, ["in"]);
  if (targetNames(target).includes("loop"))
    stream.fail("'loop' is what every for has; the variable needs another name.", at);
  stream.expect("name", "in");
  const over = expressions.tuple(false, ["recursive", "if"]);
  const filter = stream.skipWord("if") ? expressions.expression() : undefined;
  const recursive = stream.skipWord("recursive") !== undefined;
  const { body, end } = bodyUntil(parts, "endfor", "else");
  const otherwise = end === "else" ? bodyUntil(parts, "endfor").body : undefined;
  return { type: "for", target, over, filter, recursive, body, otherwise, start, end: stream.endOfLast };
}

function parseSet(parts: TemplateParser, start: number): Statement {
  const { stream, expressions } = parts;
  const target = parseTarget(parts, [], true);
  if (stream.skipOp("=")) {
    const value = expressions.tuple();
    return { type: "set", target, value, start, end: value.end };
  }
  const filters = stream.isOp("|") ? expressions.filterSteps(true) : [];
  const { body } = bodyUntil(parts, "endset");
  return { type: "set-block", target, filters, body, start, end: stream.endOfLast };
}

function parseMacro(parts: TemplateParser, start: number): Statement {
  const name = bindName(parts);
  const parameters = parseParameters(parts);
  const { body } = bodyUntil(parts, "endmacro");
  return { type: "macro", name, parameters, body, start, end: parts.stream.endOfLast };
}

function parseCall(parts: TemplateParser, start: number): Statement {
  const { stream, expressions } = parts;
  const parameters: readonly Parameter[] = stream.isOp("(") ? parseParameters(parts) : [];
  const at = stream.current.start;
  const call = expressions.expression();
  if (call.type !== "call") return stream.fail("'call' needs a call of a macro, as in {% call box() %}.", at);
  const { body } = bodyUntil(parts, "endcall");
  return { type: "call-block", parameters, call, body, start, end: stream.endOfLast };
}

function parseFilter(parts: TemplateParser, start: number): Statement {
  const filters = parts.expressions.filterSteps(false);
  const { body } = bodyUntil(parts, "endfilter");
  return { type: "filter-block", filters, body, start, end: parts.stream.endOfLast };
}

function parseWith(parts: TemplateParser, start: number): Statement {
  const { stream, expressions } = parts;
  const bindings: { target: Target; value: Expr }[] = [];
  while (!stream.is("tag-end")) {
    if (bindings.length > 0) stream.expect("op", ",");
    const target = parseTarget(parts, []);
    stream.expect("op", "=");
    bindings.push({ target, value: expressions.expression() });
  }
  const { body } = bodyUntil(parts, "endwith");
  return { type: "with", bindings, body, start, end: stream.endOfLast };
}

function parseInclude(parts: TemplateParser, start: number): Statement {
  const { stream, expressions } = parts;
  const name = expressions.expression();
  let ignoreMissing = false;
  if (stream.isWord("ignore") && stream.peek().value === "missing") {
    ignoreMissing = true;
    stream.next();
    stream.next();
  }
  const withContext = parseContext(stream, true);
  return { type: "include", name, ignoreMissing, withContext, start, end: stream.endOfLast };
}

function parseContext(stream: TokenStream, fallback: boolean): boolean {
  if (!stream.isWord("with", "without") || stream.peek().value !== "context") return fallback;
  const given = stream.next().value === "with";
  stream.next();
  return given;
}

function parseImport(parts: TemplateParser, start: number): Statement {
  const { stream } = parts;
  const name = parts.expressions.expression();
  stream.expect("name", "as");
  const as = bindName(parts);
  const withContext = parseContext(stream, false);
  return { type: "import", name, as, withContext, start, end: stream.endOfLast };
}

function parseFromImport(parts: TemplateParser, start: number): Statement {
  const { stream } = parts;
  const name = parts.expressions.expression();
  stream.expect("name", "import");
  const names: { name: string; as: string }[] = [];
  let withContext = parseContext(stream, false);
  while (!stream.is("tag-end")) {
    if (names.length > 0) stream.expect("op", ",");
    if (stream.is("tag-end")) break;
    const imported = stream.expect("name");
    if (imported.value.startsWith("_")) stream.fail("Names that start with '_' are not exported.", imported.start);
    if (stream.skipWord("as")) names.push({ name: imported.value, as: bindName(parts) });
    else {
      parts.bound.add(imported.value);
      names.push({ name: imported.value, as: imported.value });
    }
    if (stream.isWord("with", "without")) {
      withContext = parseContext(stream, false);
      break;
    }
  }
  if (names.length === 0) stream.unexpected("a name to import");
  return { type: "from-import", name, names, withContext, start, end: stream.endOfLast };
}

function parseExtends(parts: TemplateParser, start: number): Statement {
  const name = parts.expressions.expression();
  return { type: "extends", name, start, end: name.end };
}

function parseBlock(parts: TemplateParser, start: number): Statement {
  const { stream } = parts;
  const { value: name, start: at } = stream.expect("name");
  if (parts.blocks.has(name)) stream.fail(`There are two blocks named '${name}'.`, at);
  parts.blocks.add(name);
  const scoped = stream.skipWord("scoped") !== undefined;
  const required = stream.skipWord("required") !== undefined;
  const { body } = bodyUntil(parts, "endblock");
  stream.skipWord(name);
  return { type: "block", name, body, scoped, required, start, end: stream.endOfLast };
}

function parseDo(parts: TemplateParser, start: number): Statement {
  const value = parts.expressions.tuple();
  return { type: "do", value, start, end: value.end };
}

function parsePrint(parts: TemplateParser): Statement {
  const value = parts.stream.is("tag-end") ? undefined : parts.expressions.tuple();
  if (!value) return parts.stream.unexpected();
  return { type: "output", value, start: value.start, end: value.end };
}
