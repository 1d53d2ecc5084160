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
