// A cursor over tokens, with the errors that every parser needs.
import { fail } from "../error.ts";
import type { Positions } from "./positions.ts";

/** Deep enough for people, shallow enough for the stack. */
const MAX_NESTING = 120;
/** Operators or filters in a row build a tree just as deep. */
const MAX_CHAIN = 1500;

export class TokenStream {
  private at = 0;
  private depth = 0;

  constructor(
    readonly positions: Positions,
    private readonly tokens: readonly Token[],
  ) {}

  get current(): Token {
    return this.tokens[this.at]!;
  }

  /** End of the token before the current one: where the node just parsed ends. */
  get endOfLast(): number {
    return this.tokens[this.at - 1]?.end ?? 0;
  }

  peek(distance = 1): Token {
    return this.tokens[Math.min(this.at + distance, this.tokens.length - 1)]!;
  }

  next(): Token {
    const token = this.current;
    if (this.at < this.tokens.length - 1) this.at++;
    return token;
  }

  is(type: TokenType, ...values: readonly string[]): boolean {
    const { current } = this;
    return current.type === type && (values.length === 0 || values.includes(current.value));
  }

  isOp(...values: readonly string[]): boolean {
    return this.is("op", ...values);
  }

  isWord(...values: readonly string[]): boolean {
    return this.is("name", ...values);
  }

  skip(type: TokenType, ...values: readonly string[]): Token | undefined {
    return this.is(type, ...values) ? this.next() : undefined;
  }

  skipOp(...values: readonly string[]): Token | undefined {
    return this.skip("op", ...values);
  }

  skipWord(...values: readonly string[]): Token | undefined {
    return this.skip("name", ...values);
  }

  expect(type: TokenType, value?: string): Token {
    const token = value === undefined ? this.skip(type) : this.skip(type, value);
    return token ?? this.unexpected(value === undefined ? WORDS[type] : `'${value}'`);
  }

  unexpected(expected?: string): never {
    const { current } = this;
    const found =
      current.type === "end"
        ? "the template ends here"
        : current.type.endsWith("-end")
          ? `the tag ends here`
          : `found '${current.value}'`;
    this.fail(expected ? `Expected ${expected}, but ${found}.` : `An expression is expected, but ${found}.`);
  }

  fail(message: string, offset = this.current.start): never {
    fail("syntax", message, this.positions.at(offset));
  }

  /** Guards the recursion of the parsers, and of everything that walks what they build. */
  nested<T>(parse: () => T): T {
    if (++this.depth > MAX_NESTING) {
      fail("limit", `This is nested more than ${MAX_NESTING} levels deep.`, this.positions.at(this.current.start));
    }
    const result = parse();
    this.depth--;
    return result;
  }

  /** Guards a loop that wraps what it has in one more node each round. */
  checkChain(length: number): void {
    if (length > MAX_CHAIN) {
      fail("limit", `More than ${MAX_CHAIN} operations in one expression.`, this.positions.at(this.current.start));
    }
  }
}

const WORDS: Readonly<Record<TokenType, string>> = {
  text: "text",
  "output-begin": "'{{'",
  "output-end": "'}}'",
  "tag-begin": "'{%'",
  "tag-end": "'%}'",
  name: "a name",
  string: "a text in quotes",
  int: "a number",
  float: "a number",
  op: "an operator",
  end: "the end",
};

export type TokenType =
  | "text"
  | "output-begin"
  | "output-end"
  | "tag-begin"
  | "tag-end"
  | "name"
  | "string"
  | "int"
  | "float"
  | "op"
  | "end";

export interface Token {
  readonly type: TokenType;
  /** Text as it will be used: a string is decoded, a number has lost its underscores. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** `condition` is the language of a bare `when:`, which also knows `&&`, `||` and `!`. */
export type Dialect = "jinja" | "condition";
