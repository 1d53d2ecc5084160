// What a template says by itself, whatever it is given: the text around its tags, and the strings and numbers in them.
import { lexExpression, lexTemplate } from "../syntax/lexer.ts";
import { type Place, Positions } from "../syntax/positions.ts";
import type { Token } from "../syntax/token-stream.ts";

export interface Constants {
  /** The text outside of tags, piece by piece. */
  readonly texts: readonly string[];
  /** Strings and numbers inside tags. */
  readonly literals: readonly string[];
}

/** Throws `TemplateError` for what is no template. */
export function constantsOf(source: string): Constants {
  const tokens = lexTemplate(new Positions(source));
  return {
    texts: tokens.filter(({ type }) => type === "text").map(({ value }) => value),
    literals: tokens
      .filter(({ type }) => type === "string" || type === "int" || type === "float")
      .map(({ value }) => value),
  };
}

/**
 * Where a template or condition says `null`, which is read as `none`. Tokens are enough to find it: `'null'` is text,
 * `x.null` a field, `f(null=1)` the name of an argument. The places of `null` in a source that parses; a bare source is
 * an expression.
 */
export function nullsIn(source: string, bare: boolean): readonly Place[] {
  if (!/\bnull\b/.test(source)) return [];
  const positions = new Positions(source);
  const tokens = bare ? lexExpression(positions, "condition") : lexTemplate(positions);
  return tokens
    .filter((token, index) => isNull(token, tokens[index - 1], tokens[index + 1]))
    .map(({ start }) => positions.at(start));
}

const isOp = (token: Token | undefined, value: string): boolean => token?.type === "op" && token.value === value;

const isNull = (token: Token, before: Token | undefined, after: Token | undefined): boolean =>
  token.type === "name" && token.value === "null" && !isOp(before, ".") && !isOp(after, "=");
