// Expressions, with the precedence of Jinja2 3.1, which is not Python's everywhere:
// `-3 | abs` is 3, `2 ** 3 ** 2` is 64, and `is` binds tighter than arithmetic.

import type { Arithmetic, Bitwise } from "../values/numbers.ts";
import type { Comparison } from "../values/operators.ts";
import { type Expr, type FilterStep, NO_ARGUMENTS } from "./ast.ts";
import { parseArguments, parsePrimary } from "./primary-parser.ts";
import { type Dialect, type KnownNames, OTHER_NAMES, oneSlipAway, type TokenStream } from "./token-stream.ts";

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

export class ExpressionParser {
  constructor(
    readonly stream: TokenStream,
    private readonly known: KnownNames,
    private readonly dialect: Dialect = "jinja",
  ) {}

  /** An expression, with `a if b else c` unless the word `if` means something else here. */
  expression(withChoice = true): Expr {
    return this.stream.nested(() => (withChoice ? this.choice() : this.or()));
  }

  /** One expression, or several with commas, which are a tuple. `ends` are words that stop it. */
  tuple(withChoice = true, ends: readonly string[] = []): Expr {
    const { stream } = this;
    const start = stream.current.start;
    const items = [this.expression(withChoice)];
    let isTuple = false;
    while (stream.skipOp(",")) {
      isTuple = true;
      if (this.atTupleEnd(ends)) break;
      items.push(this.expression(withChoice));
    }
    return isTuple ? { type: "tuple", items, start, end: stream.endOfLast } : items[0]!;
  }

  /** `| name(args)` any number of times, as in `{% filter … %}`; the first bar is optional there. */
  filterSteps(leadingBar: boolean): FilterStep[] {
    const { stream } = this;
    const steps: FilterStep[] = [];
    while (steps.length === 0 && !leadingBar ? true : this.atFilter() && stream.skipOp("|")) {
      const start = stream.current.start;
      const name = this.knownName("filter");
      const args = stream.isOp("(") ? parseArguments(this) : NO_ARGUMENTS;
      steps.push({ name, args, start, end: stream.endOfLast });
      stream.checkChain(steps.length);
    }
    return steps;
  }

  private atTupleEnd(ends: readonly string[]): boolean {
    const { stream } = this;
    if (stream.isOp(")", "]") || (ends.length > 0 && stream.isWord(...ends))) return true;
    return stream.is("tag-end") || stream.is("output-end") || stream.is("end");
  }

  private choice(): Expr {
    const { stream } = this;
    let then = this.or();
    for (let rounds = 1; stream.skipWord("if"); rounds++) {
      stream.checkChain(rounds);
      const condition = this.or();
      const otherwise = stream.skipWord("else") ? this.expression() : undefined;
      then = { type: "choice", condition, then, otherwise, start: then.start, end: stream.endOfLast };
    }
    return then;
  }

  private or(): Expr {
    return this.chain("or", "||", () => this.and());
  }

  private and(): Expr {
    return this.chain("and", "&&", () => this.not());
  }

  private chain(type: "and" | "or", symbol: string, operand: () => Expr): Expr {
    const { stream } = this;
    let left = operand();
    for (let rounds = 1; stream.skipWord(type) || stream.skipOp(symbol); rounds++) {
      stream.checkChain(rounds);
      const right = operand();
      left = { type, left, right, start: left.start, end: right.end };
    }
    return left;
  }

  private not(): Expr {
    const word = this.stream.skipWord("not");
    if (!word) return this.compare();
    const operand = this.stream.nested(() => this.not());
    return { type: "not", operand, start: word.start, end: operand.end };
  }

  private compare(): Expr {
    const first = this.bits();
    const rest: { operator: Comparison; value: Expr }[] = [];
    for (let operator = this.comparison(); operator; operator = this.comparison()) {
      rest.push({ operator, value: this.bits() });
    }
    return rest.length === 0 ? first : { type: "compare", first, rest, start: first.start, end: this.stream.endOfLast };
  }

  private comparison(): Comparison | undefined {
    const { stream } = this;
    if (stream.is("op") && COMPARISONS.has(stream.current.value)) return stream.next().value as Comparison;
    if (stream.skipWord("in")) return "in";
    if (!stream.isWord("not") || stream.peek().type !== "name" || stream.peek().value !== "in") return undefined;
    stream.next();
    stream.next();
    return "not in";
  }

  /** Python's operators on bits, in conditions; in Jinja2 the bar is for filters alone, and the others do not exist. */
  private bits(): Expr {
    if (this.dialect !== "condition") return this.sum();
    const shifts = (): Expr => this.binary(["<<", ">>"], () => this.sum());
    const ands = (): Expr => this.binary(["&"], shifts);
    return this.binary(["|"], () => this.binary(["^"], ands));
  }

  /** Whether a bar is followed by a filter, or by what is nearly one. In a condition it may join bits. */
  private atFilter(): boolean {
    const { stream } = this;
    if (!stream.isOp("|")) return false;
    if (this.dialect !== "condition") return true;
    const { type, value } = stream.peek();
    return (
      type === "name" && (this.known.filter.has(value) || oneSlipAway(value, this.known.filter.keys()) !== undefined)
    );
  }

  private sum(): Expr {
    return this.binary(["+", "-"], () => this.concat());
  }

  private concat(): Expr {
    const { stream } = this;
    const parts = [this.product()];
    while (stream.skipOp("~")) parts.push(this.product());
    const first = parts[0]!;
    return parts.length === 1 ? first : { type: "concat", parts, start: first.start, end: stream.endOfLast };
  }

  private product(): Expr {
    return this.binary(["*", "/", "//", "%"], () => this.power());
  }

  private power(): Expr {
    return this.binary(["**"], () => this.unary(true));
  }

  private binary(operators: readonly (Arithmetic | Bitwise)[], operand: () => Expr): Expr {
    const { stream } = this;
    let left = operand();
    for (let rounds = 1; stream.isOp(...operators); rounds++) {
      stream.checkChain(rounds);
      const operator = stream.next().value as Arithmetic | Bitwise;
      const right = operand();
      left = { type: "binary", operator, left, right, start: left.start, end: right.end };
    }
    return left;
  }

  private unary(withFilters: boolean): Expr {
    const { stream } = this;
    const sign = stream.skipOp("-", "+", ...(this.dialect === "condition" ? ["!", "~"] : []));
    let node: Expr;
    if (sign) {
      const operand = stream.nested(() => this.unary(false));
      const span = { start: sign.start, end: operand.end };
      node =
        sign.value === "!"
          ? { type: "not", operand, ...span }
          : { type: "sign", operator: sign.value as "+" | "-" | "~", operand, ...span };
    } else {
      node = parsePrimary(this);
    }
    node = this.postfix(node);
    return withFilters ? this.filtersAndTests(node) : node;
  }

  private postfix(node: Expr): Expr {
    const { stream } = this;
    let result = node;
    for (let rounds = 1; ; rounds++) {
      stream.checkChain(rounds);
      if (stream.isOp(".", "[")) result = this.subscript(result);
      else if (stream.isOp("(")) result = this.call(result);
      else return result;
    }
  }

  private call(callee: Expr): Expr {
    if (this.dialect === "condition" && callee.type === "name" && CHANCE.includes(callee.name))
      return this.stream.fail(
        `'${callee.name}()' is not there: a run that is resumed must take the routes that it took before. Draw the number in a step, and read its output here.`,
        callee.start,
      );
    const args = parseArguments(this);
    return { type: "call", callee, args, start: callee.start, end: this.stream.endOfLast };
  }

  private subscript(object: Expr): Expr {
    const { stream } = this;
    const { start } = object;
    if (stream.next().value === ".") {
      const token = stream.skip("name") ?? stream.expect("int");
      const { end } = token;
      if (token.type === "name") return { type: "attribute", object, name: token.value, start, end };
      const index: Expr = { type: "const", value: Number(token.value), start: token.start, end };
      return { type: "item", object, index, start, end };
    }
    const from = stream.isOp(":") ? undefined : this.tuple();
    if (!stream.isOp(":")) {
      if (!from) return stream.unexpected();
      return { type: "item", object, index: from, start, end: stream.expect("op", "]").end };
    }
    stream.next();
    const to = stream.isOp(":", "]") ? undefined : this.expression();
    const step = stream.skipOp(":") && !stream.isOp("]") ? this.expression() : undefined;
    return { type: "slice", object, from, to, step, start, end: stream.expect("op", "]").end };
  }

  private filtersAndTests(node: Expr): Expr {
    const { stream } = this;
    let result = node;
    for (let rounds = 1; ; rounds++) {
      stream.checkChain(rounds);
      if (this.atFilter()) {
        for (const { name, args, end } of this.filterSteps(true)) {
          result = { type: "filter", input: result, name, args, start: node.start, end };
        }
      } else if (stream.isWord("is")) result = this.test(result);
      else if (stream.isOp("(")) result = this.call(result);
      else return result;
    }
  }

  private test(input: Expr): Expr {
    const { stream } = this;
    stream.next();
    const negated = stream.skipWord("not") !== undefined;
    const name = this.knownName("test");
    let args = NO_ARGUMENTS;
    if (stream.isOp("(")) args = parseArguments(this);
    else if (this.atTestArgument()) {
      args = { ...NO_ARGUMENTS, positional: [this.postfix(parsePrimary(this))] };
    }
    const test: Expr = { type: "test", input, name, args, start: input.start, end: stream.endOfLast };
    return negated ? { type: "not", operand: test, start: test.start, end: test.end } : test;
  }

  /** `x is divisibleby 3`: an argument may follow without parentheses. */
  private atTestArgument(): boolean {
    const { stream } = this;
    if (stream.isWord("is")) return stream.fail("Two tests in a row need 'and' between them.");
    if (stream.is("name")) return !stream.isWord("else", "or", "and", "if", "in", "not", "recursive");
    return stream.is("string") || stream.is("int") || stream.is("float") || stream.isOp("[", "{");
  }

  private knownName(what: "filter" | "test"): string {
    const { stream } = this;
    const { start } = stream.current;
    let name = stream.expect("name").value;
    while (stream.skipOp(".")) name += `.${stream.expect("name").value}`;
    // Python's identity test with a constant: `x is not None`.
    if (what === "test" && (this.dialect === "condition" || name === "null")) name = CONSTANT_TESTS.get(name) ?? name;
    const known = this.known[what];
    if (known.has(name)) return name;
    const elsewhere = what === "filter" ? OTHER_NAMES.get(name.toLowerCase()) : undefined;
    const meant = elsewhere !== undefined && known.has(elsewhere) ? elsewhere : oneSlipAway(name, known.keys());
    return stream.fail(`There is no ${what} named '${name}'.${meant ? ` Did you mean '${meant}'?` : ""}`, start);
  }
}

/** Functions of chance that Conductor has in conditions. */
const CHANCE: readonly string[] = ["rand", "randint"];

const CONSTANT_TESTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ None: "none", null: "none", True: "true", False: "false" }),
);
