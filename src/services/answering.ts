// The door of every service: what was refused inside becomes the answer. Defects go through.
import type { Awaitable } from "../engine/awaitable.ts";
import type { Result } from "../results/result.ts";
import { shownResult } from "./environment-redactor.ts";
import { asRefusal, Refused } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

/** The caller: refusals name commands or calls in the caller's own terms. */
type Asking = Pick<Surroundings, "reader"> & Partial<Pick<Surroundings, "env">>;

/** Gives what the work gives; when it was refused, what `whenRefused` makes of the result. */
export async function answering<Answer, Refusing = Result>(
  request: Asking,
  work: () => Awaitable<Answer>,
  whenRefused?: (result: Result) => Refusing,
): Promise<Answer | Refusing> {
  try {
    return await work();
  } catch (problem) {
    return refusing(problem, request, whenRefused);
  }
}

/** The same for what needs no store. */
export function answeringAtOnce<Answer, Refusing = Result>(
  request: Asking,
  work: () => Answer,
  whenRefused?: (result: Result) => Refusing,
): Answer | Refusing {
  try {
    return work();
  } catch (problem) {
    return refusing(problem, request, whenRefused);
  }
}

function refusing<Refusing>(
  problem: unknown,
  { reader, env }: Asking,
  whenRefused?: (result: Result) => Refusing,
): Refusing {
  const refused = asRefusal(problem, reader);
  if (!(refused instanceof Refused)) throw refused;
  // A finding quotes what a file says once its references are resolved.
  const result = env ? shownResult(env, refused.result) : refused.result;
  return whenRefused ? whenRefused(result) : (result as Refusing);
}
