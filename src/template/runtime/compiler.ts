// What the parts of the compiler share. Expressions and statements refer to one another
// through this, so that their files do not import each other.

import { placed } from "../error.ts";
import type { Body, Expr, Span } from "../syntax/ast.ts";
import type { Positions } from "../syntax/positions.ts";
import type { Evaluate, Execute } from "./frame.ts";

export interface Compiler {
  readonly positions: Positions;
  /** Names that some tag binds; all others are looked up in the scope directly. */
  readonly bound: ReadonlySet<string>;
  /** Functions that a bare condition has besides Jinja2's. */
  readonly globals: ReadonlyMap<string, unknown>;
  /** What to do with a name that the scope does not have, before it is undefined. */
  readonly unknownName?: ((name: string, frame: Parameters<Evaluate>[0]) => unknown) | undefined;
  expression(node: Expr): Evaluate;
  body(body: Body): Execute;
}

/** Runs a piece of a template and adds its place to what it raises. */
export function at<T extends unknown[], R>(compiler: Compiler, span: Span, work: (...args: T) => R): (...args: T) => R {
  const { positions } = compiler;
  const place = () => ({
    ...positions.at(span.start),
    expression: positions.source.slice(span.start, span.end),
  });
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      throw placed(error, place);
    }
  };
}
