// Turns refusals into answers of the API, and checks requests against the schema of their address.

import { z } from "zod";
import { misfitOf, misfitText } from "../../base/errors/misfit.ts";
import { parseJson, UnusableJson } from "../../base/json/bounded.ts";
import { type Head, invalidResult, type Result } from "../../base/results/index.ts";
import { asRefusal, Refused, UnknownRun, UnknownWorkflow } from "../../services/refusals.ts";
import { TooLate } from "./commands/conflicts.ts";
import type { ProblemJson } from "./contract/values.ts";
import { HTTP_CLIENT } from "./reader.ts";

/** The answer to a problem. A defect is reported without its message or stack. */
export function problemOf(thrown: unknown): ProblemJson {
  if (thrown instanceof BadRequest) return { status: 400, code: "bad_request", ...saidBy(thrown) };
  if (thrown instanceof TooLarge) return { status: 413, code: "too_large", message: thrown.message };
  if (thrown instanceof TooMany) return { status: 429, code: "too_many", message: thrown.message };
  if (thrown instanceof NotFound) return { status: 404, code: "not_found", ...saidBy(thrown) };
  const refused = asRefusal(thrown, HTTP_CLIENT);
  if (refused instanceof TooLate)
    return { status: 409, code: "late", message: refused.message, ...more(refused), first: refused.first };
  if (refused instanceof UnknownRun || refused instanceof UnknownWorkflow)
    return {
      status: 404,
      code: "not_found",
      message: refused.result.errors[0]?.message ?? refused.message,
      ...more(refused),
    };
  if (refused instanceof Refused) return refusedProblem(refused);
  return {
    status: 500,
    code: "defect",
    message: "Segno itself failed; the terminal of segno serve says more with SEGNO_DEBUG=1",
  };
}

function refusedProblem(refused: Refused): ProblemJson {
  const type = refused.result.errors[0]?.error_type;
  if (type === "OutsideRoot") return { status: 403, code: "outside_root", message: refused.message, ...more(refused) };
  const status = type === "StoreError" || type === "LeaseLost" ? 503 : 400;
  return { status, code: "refused", message: refused.message, ...more(refused) };
}

function more({ result }: Refused): Pick<ProblemJson, "hint" | "suggestions" | "errors"> {
  const [entry] = result.errors;
  return {
    hint: entry?.hint,
    suggestions: entry?.suggestions && [...entry.suggestions],
    errors: entry && result.errors.map((one) => ({ ...one })),
  };
}

/** What a refusal of a service without a run has of a result. */
const NOTHING: Omit<Result, keyof Head> = invalidResult([], {});

export const refusedBy = (head: Head): Refused => new Refused({ ...NOTHING, ...head });

/** The answer of a service that did what it was asked. */
export function accepted<Answer extends Head>(answer: Answer): Answer {
  if (!answer.success) throw refusedBy(answer);
  return answer;
}

class Hinted extends Error {
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

const saidBy = ({ message, hint }: Hinted): Pick<ProblemJson, "message" | "hint"> => ({ message, hint });

/** What was sent is not what the address takes. */
export class BadRequest extends Hinted {}

export class NotFound extends Hinted {}

export class TooLarge extends Error {}

export class TooMany extends Error {}

export function json(text: string): unknown {
  try {
    return parseJson(text);
  } catch (problem) {
    if (problem instanceof UnusableJson) throw new BadRequest(`the body cannot be used: ${problem.message}`);
    throw new BadRequest("the body is no JSON", DESCRIBED);
  }
}

export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (!issue) throw new BadRequest("this is not what the address takes", DESCRIBED);
  throw new BadRequest(misfitText(issue, value), hintFor(schema, misfitOf(issue, value).path));
}

const DESCRIBED = "GET /api/openapi.json describes what each address takes.";

/** By the innermost field on the way that the contract describes. */
function hintFor(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let found = [z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described];
  let hint = DESCRIBED;
  for (const [index, key] of path.entries()) {
    found = found.flatMap(shapesOf).flatMap((shape) => shape.properties?.[String(key)] ?? shape.items ?? []);
    const description = found.find((shape) => shape.description !== undefined)?.description;
    if (description !== undefined) hint = `\`${path.slice(0, index + 1).join(".")}\` is ${description}. ${DESCRIBED}`;
  }
  return hint;
}

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
}

const shapesOf = (shape: Described): readonly Described[] => shape.anyOf?.flatMap(shapesOf) ?? [shape];
