// What is known while a template runs. A frame holds the names that tags have bound and
// points outwards; a run is one template in execution, with the scope its free names come from.

import { placed } from "../error.ts";
import { checkOutput, type Limits, spend } from "../limits.ts";
import type { Body, Expr, Span } from "../syntax/ast.ts";
import { type Positions, SPECIAL_NAMES } from "../syntax/token-stream.ts";
import type { Host } from "../values/thing.ts";
import { MISSING, type Scope, type Value } from "../values/value.ts";

export type Loader = (name: string) => string | undefined;

export interface RenderOptions {
  /** Gives the source of a template that `include`, `import` or `extends` names. */
  readonly loader?: Loader | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** A block of some template, ready to be executed; later ones in a list are the parents'. */
export interface BlockBody {
  readonly execute: Execute;
  readonly required: boolean;
}

export interface ExecutableTemplate {
  readonly execute: Execute;
  readonly blocks: ReadonlyMap<string, BlockBody>;
}

export interface Run {
  readonly scope: Scope;
  readonly host: Host;
  /** Compiles what the loader gives for a name; undefined if there is no such template. */
  readonly load: (name: string) => ExecutableTemplate | undefined;
  /** Blocks by name, the most derived first; `NO_BLOCKS` until there is one. */
  blocks: Map<string, BlockBody[]>;
  /** Set by `extends`. */
  parent: ExecutableTemplate | undefined;
}

/** Most templates have none, and a map for each rendering costs as much as a short template. */
export const NO_BLOCKS: Run["blocks"] = new Map();

export type Evaluate = (frame: Frame) => Value;
export type Execute = (frame: Frame, out: Output) => void;

export class Frame {
  // Two short arrays: a frame is made for every round of a loop and mostly holds two names,
  // for which a Map costs three times as much.
  private readonly names: string[] = [];
  private readonly values: Value[] = [];

  constructor(
    readonly run: Run,
    readonly outer: Frame | undefined,
  ) {}

  get(name: string): Value {
    let frame: Frame | undefined = this;
    while (frame) {
      const index = frame.names.indexOf(name);
      if (index >= 0) return frame.values[index];
      frame = frame.outer;
    }
    return this.run.scope.get(name);
  }

  set(name: string, value: Value): void {
    const index = this.names.indexOf(name);
    if (index >= 0) this.values[index] = value;
    else {
      this.names.push(name);
      this.values.push(value);
    }
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  get root(): Frame {
    let frame: Frame = this;
    while (frame.outer) frame = frame.outer;
    return frame;
  }

  own(): ReadonlyMap<string, Value> {
    return new Map(this.names.map((name, i) => [name, this.values[i]]));
  }

  inner(): Frame {
    return new Frame(this.run, this);
  }

  /** The names visible from here, as the scope of another template. */
  asScope(): Scope {
    return { get: (name) => this.get(name), names: () => this.visibleNames() };
  }

  visibleNames(): string[] {
    const names = new Set<string>();
    for (let frame: Frame | undefined = this; frame; frame = frame.outer) {
      for (const name of frame.names) names.add(name);
    }
    for (const name of this.run.scope.names()) names.add(name);
    return [...names].filter((name) => !SPECIAL_NAMES.has(name));
  }
}

export class Output {
  text = "";
  /** After `extends`, what stands outside of blocks is evaluated but not shown. */
  muted = false;

  write(piece: string): void {
    if (this.muted) return;
    spend(1 + (piece.length >>> 5));
    this.text += piece;
    checkOutput(this.text.length);
  }
}

export const EMPTY_SCOPE: Scope = { get: () => MISSING, names: () => [] };

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
  const place = () => ({ ...positions.at(span.start), expression: positions.source.slice(span.start, span.end) });
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      throw placed(error, place);
    }
  };
}
