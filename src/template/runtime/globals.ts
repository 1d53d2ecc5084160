// The functions every template has: range, dict, namespace, cycler, joiner.

import { fail } from "../error.ts";
import { spendItems } from "../limits.ts";
import { fill } from "../methods/methods.ts";
import { Dict, entriesOf } from "../values/dict.ts";
import { repr, str } from "../values/repr.ts";
import { Range } from "../values/sequences.ts";
import { type Args, Callable, Thing, wholeNumber } from "../values/thing.ts";
import type { Value } from "../values/value.ts";

const callable = (name: string, invoke: (args: Args) => Value): readonly [string, Callable] => [
  name,
  new Callable(name, invoke),
];

function range({ positional, named }: Args): Range {
  if (positional.length < 1 || positional.length > 3 || named.size > 0)
    fail("type", "'range' takes one to three numbers.");
  const [a, b, c] = positional;
  const step = wholeNumber(c, 1);
  if (step === 0) fail("type", "The step of a range cannot be 0.");
  const result = new Range(b === undefined ? 0 : wholeNumber(a, 0), wholeNumber(b === undefined ? a : b, 0), step);
  spendItems(result.length);
  return result;
}

/** The one object whose members can be set, so that a loop can tell something to what follows it. */
export class Namespace extends Thing {
  private readonly members = new Map<string, Value>();

  attribute(name: string): Value {
    return this.members.get(name);
  }

  set(name: string, value: Value): void {
    this.members.set(name, value);
  }

  names(): readonly string[] {
    return [...this.members.keys()];
  }

  get text(): string {
    return `<Namespace ${repr(fill(new Dict(), undefined, this.members))}>`;
  }
}

function namespace(args: Args): Namespace {
  const result = new Namespace();
  for (const [key, value] of entriesOf(fill(new Dict(), args.positional[0], args.named))) result.set(str(key), value);
  return result;
}

class Cycler extends Thing {
  private at = 0;

  constructor(private readonly items: readonly Value[]) {
    super();
  }

  attribute(name: string): Value {
    if (name === "current") return this.items[this.at];
    if (name === "next") return new Callable("next", () => this.next());
    if (name === "reset") return new Callable("reset", () => this.reset());
    return undefined;
  }

  names(): readonly string[] {
    return ["current", "next", "reset"];
  }

  get text(): string {
    return "<Cycler>";
  }

  private next(): Value {
    const item = this.items[this.at];
    this.at = (this.at + 1) % this.items.length;
    return item;
  }

  private reset(): null {
    this.at = 0;
    return null;
  }
}

function cycler({ positional }: Args): Cycler {
  if (positional.length === 0) fail("type", "'cycler' needs at least one item.");
  return new Cycler(positional);
}

/** Gives nothing the first time and the separator from then on. */
function joiner({ positional, named }: Args): Callable {
  const separator = str(positional[0] ?? named.get("sep") ?? ", ");
  let used = false;
  return new Callable("joiner", () => {
    const text = used ? separator : "";
    used = true;
    return text;
  });
}

export const GLOBALS: ReadonlyMap<string, Value> = new Map([
  callable("range", range),
  callable("dict", (args) => {
    if (args.positional.length > 1) fail("type", "'dict' takes one mapping and named values.");
    return fill(new Dict(), args.positional[0], args.named);
  }),
  callable("namespace", namespace),
  callable("cycler", cycler),
  callable("joiner", joiner),
]);
