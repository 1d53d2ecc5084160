// A cursor over tokens, with places and the errors that every parser needs, and the names the syntax knows.
import { fail } from "../error.ts";

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

export interface Place {
  readonly line: number;
  readonly column: number;
}

export class Positions {
  private starts: number[] | undefined;

  constructor(readonly source: string) {}

  at(offset: number): Place {
    const starts = this.lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }

  private lineStarts(): number[] {
    if (this.starts) return this.starts;
    const starts = [0];
    for (let at = this.source.indexOf("\n"); at >= 0; at = this.source.indexOf("\n", at + 1)) starts.push(at + 1);
    this.starts = starts;
    return starts;
  }
}

/**
 * What a filter or test may be called is decided where they are defined; the parser is
 * handed the two lists, so that a wrong name is a syntax error with a place.
 */
export interface KnownNames {
  readonly filter: Named;
  readonly test: Named;
}

/** A map of things by name. */
interface Named {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Bound by the engine itself in some places; never suggested for a misspelled name. */
export const SPECIAL_NAMES: ReadonlySet<string> = new Set(["loop", "caller", "varargs", "kwargs", "super", "self"]);

/** How filters are called in other template languages and in programs, by how they are written in small letters. */
const WRITTEN_ELSEWHERE = {
  upper: "upcase uppercase to_upper toupper touppercase",
  lower: "downcase lowercase to_lower tolower tolowercase",
  length: "size len",
  trim: "strip chomp",
  tojson: "to_json jsonify",
  string: "str to_string tostring",
  float: "number to_number to_f",
  int: "to_int to_i",
  unique: "uniq",
  title: "titlecase",
  urlencode: "url_encode",
  escape: "escape_html",
};

export const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(WRITTEN_ELSEWHERE).flatMap(([name, others]) =>
    others.split(" ").map((other) => [other, name] as const),
  ),
);

/**
 * Which known name was misspelled. The template engine stands alone, so this is as small as it can be: one letter more,
 * less or other, or two that changed places. The known name that is one slip away from a word.
 */
export function oneSlipAway(word: string, names: Iterable<string>): string | undefined {
  for (const name of names) if (isOneSlip(word, name)) return name;
  return undefined;
}

function isOneSlip(word: string, name: string): boolean {
  if (word.length < 3 || Math.abs(word.length - name.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === name[start]) start++;
  const [left, right] = [word.slice(start), name.slice(start)];
  if (left.length !== right.length) return left.slice(1) === right || left === right.slice(1);
  const isOther = left.slice(1) === right.slice(1);
  const isSwap = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isOther || isSwap;
}
