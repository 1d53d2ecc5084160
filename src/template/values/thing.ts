// Functions and the few objects of Jinja2 (`loop`, a namespace, an imported template).
// They are the only things a template can call or ask for attributes besides data, and
// each says itself which attributes it has: there is no way from here to JavaScript's.

import { Internal, type Kind, type Value } from "./value.ts";

export interface Args {
  /** For messages. */
  readonly callee: string;
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** Filters, tests and functions: what they do to values. */
export interface Operation {
  (input: Value, args: Args, host: Host): Value;
  /** Names of its arguments, `width?` for one that may be left out; absent where it takes any. */
  readonly parameters?: readonly string[];
}

/** What operations may need of the engine; handed to them, so that they do not import it. */
export interface Host {
  attribute(value: Value, name: string): Value;
  item(value: Value, key: Value): Value;
  filter(name: string): Operation | undefined;
  test(name: string): Operation | undefined;
  /** A number below `size`, the same in every render of the same template. */
  pick(size: number): number;
}

export class Callable extends Internal {
  readonly kind: Kind = "callable";
  constructor(
    readonly name: string,
    readonly invoke: (args: Args, host: Host) => Value,
    readonly attributes: ReadonlyMap<string, Value> = new Map(),
    readonly text = `<function ${name}>`,
  ) {
    super();
  }
}

/** A method of some data, not yet called. */
export class Method extends Callable {
  constructor(
    name: string,
    readonly owner: Value,
    invoke: (args: Args, host: Host) => Value,
  ) {
    super(name, invoke);
  }
}

export abstract class Thing extends Internal {
  readonly kind: Kind = "object";
  /** The attribute, or undefined. */
  abstract attribute(name: string): Value;
  abstract names(): readonly string[];
  abstract readonly text: string;
  invoke: ((args: Args, host: Host) => Value) | undefined = undefined;
}
