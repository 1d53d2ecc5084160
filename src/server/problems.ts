// From what was refused to the answer that says so.
import { type Head, invalidResult, type Result } from "../results/index.ts";
import { TooLate } from "../services/commands/first.ts";
import { asRefusal, Refused, UnknownRun, UnknownWorkflow } from "../services/refusals.ts";
import type { ProblemJson } from "./contract/problem.ts";
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
      ...{ status: 404, code: "not_found", message: refused.result.errors[0]?.message ?? refused.message },
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
    ...(entry?.hint === undefined ? {} : { hint: entry.hint }),
    ...(entry?.suggestions === undefined ? {} : { suggestions: [...entry.suggestions] }),
    ...(result.errors.length > 0 ? { errors: result.errors.map((one) => ({ ...one })) } : {}),
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

const saidBy = ({ message, hint }: Hinted): Pick<ProblemJson, "message" | "hint"> => ({
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** What was sent is not what the address takes. */
export class BadRequest extends Hinted {}

export class NotFound extends Hinted {}

export class TooLarge extends Error {}

export class TooMany extends Error {}
