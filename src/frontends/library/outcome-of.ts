// What the `execute` of an own step gave, checked where it crosses into the engine: from here on it is an outcome, and
// data that a journal can hold.

import { calledWrong } from "../../base/errors/called-wrong.ts";
import { ownCodeFault } from "../../base/errors/envelope.ts";
import {
  type Details,
  failed,
  type Outcome,
  parseEnvelope,
  type Raised,
  raised,
  succeeded,
} from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { NestedTooDeeply, parseJson } from "../../base/json/bounded.ts";
import type { GivenInput } from "../../services/request.ts";
import { fromAuthor, malformedEnvelope } from "../../steps/output-schema.ts";
import { shown, thrown } from "./wording.ts";

const MUST = 'it must give succeeded(…) or failed(raised("a.kind", "what happened"))';

type Fields = Readonly<Record<string, unknown>>;

/** What `raise` throws in a function step; a step that lets it through ends with that error. */
export class RaisedInStep extends Error {
  readonly error: Raised;

  constructor(kind: string, message: string, details: Details = {}) {
    super(String(message));
    this.name = kind;
    this.error = raised(kind, message, details);
  }
}

/** `made` turns what `execute` gave into an outcome. At once where that came at once: a promise for each step would be dear. */
export function outcomeOf(
  code: string,
  node: string,
  execute: () => unknown,
  made: (given: unknown) => unknown = (given) => given,
): Outcome | Promise<Outcome> {
  const threw = (problem: unknown): Outcome =>
    problem instanceof RaisedInStep
      ? checked(code, node, failed(problem.error))
      : failed(ownCodeFault(code, `${code} threw: ${thrown(problem)}`, problem));
  let given: unknown;
  let isLater: boolean;
  try {
    given = execute();
    isLater = isThenable(given);
  } catch (problem) {
    return threw(problem);
  }
  if (!isLater) return checked(code, node, made(given));
  return Promise.resolve(given).then((value) => checked(code, node, made(value)), threw);
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise || (isMapping(value) && typeof value.then === "function");

/** How the code of an own step type is called in sentences. */
export const codeOf = (type: string): string => `\`execute\` of the step type ${type}`;

function checked(code: string, node: string, given: unknown): Outcome {
  const refuse = (what: string, must = MUST): Outcome => failed(ownCodeFault(code, `${code} gave ${what}; ${must}.`));
  if (!isMapping(given) || typeof given.ok !== "boolean") return refuse(shown(given));

  const output = asJson(given.output);
  if ("reason" in output) return refuse(output.reason, "an output is data that JSON can hold");
  if (given.ok) return succeeded(output.value ?? null);

  const { error } = given;
  if (error instanceof Error || !isMapping(error) || typeof error.kind !== "string")
    return refuse(`failed(…) with ${shown(error)}`);
  const plain = asJson(error);
  if ("reason" in plain) return refuse(`failed(…) with ${plain.reason}`, "details are data that JSON can hold");
  return failed(errorOf(node, plain.value as Fields), output.value);
}

/** The same rules as for what scripts and agents raise. */
function errorOf(node: string, error: Fields): Raised {
  const parsed = parseEnvelope(error);
  if (!parsed.ok) return malformedEnvelope(node, "step", parsed.reason, parsed.field);
  const { kind, message, details } = parsed.error;
  return fromAuthor(node, raised(kind, message, details, error.cause as Raised["cause"]));
}

/**
 * As it will read when it comes back from the journal, so that a resumed run sees what this one saw. `refuseLost`: also what
 * JSON would leave out, or make something else of, is a reason.
 */
function asJson(
  value: unknown,
  refuseLost?: (key: string, value: unknown) => unknown,
): { readonly value: unknown } | { readonly reason: string } {
  if (value === undefined) return { value };
  try {
    const copy = plainCopy(value);
    if (copy !== NOT_PLAIN) return { value: copy };
    const text = JSON.stringify(value, refuseLost);
    return text === undefined ? { reason: shown(value) } : { value: parseJson(text) };
  } catch (problem) {
    if (typeof value !== "object") return { reason: shown(value) };
    return { reason: `${shown(value)} that JSON cannot hold (${whyNot(problem)})` };
  }
}

/** What is said of a circle goes on over several lines. */
const whyNot = (problem: unknown): string =>
  isStackOverflow(problem) ? new NestedTooDeeply().message : (thrown(problem).split("\n", 1)[0] ?? "");

const isStackOverflow = (problem: unknown): boolean =>
  problem instanceof RangeError && problem.message.includes("call stack");

/** An input as JSON has it, which keeps what it says: a Map would be an empty object, and Infinity null. */
export function inputOf(read: () => unknown): GivenInput {
  try {
    const json = asJson(read(), refuseLost);
    return "reason" in json ? { refused: json.reason } : json;
  } catch (problem) {
    return { refused: `what cannot be read (${whyNot(problem)})` };
  }
}

/** Called by JSON with every value in it, after its `toJSON`. */
function refuseLost(key: string, value: unknown): unknown {
  if (!isLost(value)) return value;
  const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
  throw calledWrong(
    `${key === "" ? "it" : `\`${key}\``} is ${typeof value === "object" ? `a value of the type ${type}` : shown(value)}`,
  );
}

function isLost(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return ["bigint", "function", "symbol"].includes(typeof value);
  return (
    !Array.isArray(value) &&
    Object.prototype.toString.call(value) !== "[object Object]" &&
    Object.keys(value).length === 0
  );
}

// A copy of data that is JSON already, without writing and reading it as text.

/** Not data of which JSON makes the same, or too deep to tell: then JSON itself is asked. */
export const NOT_PLAIN: unique symbol = Symbol("not plain");

const DEEPEST = 20;

export function plainCopy(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // JSON knows no -0, and makes null of what is not finite.
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : NOT_PLAIN;
  if (typeof value !== "object" || depth > DEEPEST) return NOT_PLAIN;
  return Array.isArray(value) ? listCopy(value, depth) : objectCopy(value as Record<string, unknown>, depth);
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  const copies: unknown[] = [];
  for (const item of list) {
    const copy = plainCopy(item, depth + 1);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    copies.push(copy);
  }
  return "toJSON" in list ? NOT_PLAIN : copies;
}

function objectCopy(object: Record<string, unknown>, depth: number): unknown {
  if (Object.getPrototypeOf(object) !== Object.prototype || "toJSON" in object) return NOT_PLAIN;
  const copies: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const copy = key === "__proto__" ? NOT_PLAIN : plainCopy(object[key], depth + 1);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    copies[key] = copy;
  }
  return copies;
}
