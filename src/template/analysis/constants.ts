// What a template says by itself, whatever it is given: the text around its tags, and the strings and numbers in them.
import { lexTemplate } from "../syntax/lexer.ts";
import { Positions } from "../syntax/positions.ts";

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
