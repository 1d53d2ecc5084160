// map, select, reject and their kind: one filter or test applied to every item.

import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { methodOf } from "../methods/methods.ts";
import { MISSING } from "../scope.ts";
import { isTrue } from "../values/compare.ts";
import { isDictionary } from "../values/dict.ts";
import { iterate } from "../values/iterate.ts";
import { str } from "../values/repr.ts";
import { Generator } from "../values/sequences.ts";
import { operation } from "../values/signature.ts";
import type { Args, Host, Operation } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import type { Value } from "../values/value.ts";
import { fieldReader } from "./fields.ts";

function* mapped(input: Value, args: Args, host: Host): Iterable<Value> {
  const apply = mapper(args, host);
  if (!isTrue(input)) return;
  for (const item of iterate(input)) {
    spend(1);
    yield apply(item);
  }
}

function mapper({ positional, named }: Args, host: Host): (item: Value) => Value {
  if (positional.length === 0) {
    for (const name of named.keys()) {
      if (name !== "attribute" && name !== "default") fail("type", `'map' has no argument '${name}'.`);
    }
    if (!named.has("attribute")) fail("type", "'map' needs the name of a filter, or attribute='…'.");
    return fieldReader(named.get("attribute"), host, named.get("default") ?? undefined);
  }
  const name = str(positional[0]);
  const filter = host.filter(name) ?? fail("type", `There is no filter named '${name}'.`);
  const args: Args = { callee: name, positional: positional.slice(1), named };
  return (item) => filter(item, args, host);
}

function picking(keep: boolean, byField: boolean): Operation {
  return (input, args, host) => new Generator(picked(input, args, host, keep, byField));
}

function* picked(input: Value, args: Args, host: Host, keep: boolean, byField: boolean): Iterable<Value> {
  if (byField && args.positional.length === 0) fail("type", `'${args.callee}' needs the name of an attribute.`);
  const read = fieldReader(byField ? args.positional[0] : undefined, host);
  const [testName, ...rest] = byField ? args.positional.slice(1) : args.positional;
  const passes = tester(testName, { ...args, positional: rest }, host);
  if (!isTrue(input)) return;
  for (const item of iterate(input)) {
    spend(1);
    if (passes(read(item)) === keep) yield item;
  }
}

function tester(testName: Value, args: Args, host: Host): (value: Value) => boolean {
  if (testName === undefined) return isTrue;
  const name = str(testName);
  const test = host.test(name) ?? fail("type", `There is no test named '${name}'.`);
  const testArgs: Args = { ...args, callee: name };
  return (value) => isTrue(test(value, testArgs, host));
}

/** Attributes only: of a mapping these are its methods, not its keys. */
function attributeOf(input: Value, name: string, host: Host): Value {
  if (input instanceof Undefined) raiseUndefined(input);
  const found = isDictionary(input) ? methodOf(input, name) : host.attribute(input, name);
  if (found !== undefined && found !== MISSING) return found;
  return new Undefined({
    path: name,
    missing: name,
    message: `There is no attribute '${name}'; for a key write x['${name}'].`,
  });
}

export const PICK_FILTERS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["map", (input, args, host) => new Generator(mapped(input, args, host))],
  ["select", picking(true, false)],
  ["reject", picking(false, false)],
  ["selectattr", picking(true, true)],
  ["rejectattr", picking(false, true)],
  ["attr", operation(["name"], (input, [name], host) => attributeOf(input, str(name), host))],
]);
