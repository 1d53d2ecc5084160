// The door of every service: what was refused inside becomes the answer. Defects go through.
import type { Awaitable } from "../engine/awaitable.ts";
import type { Result } from "../results/result.ts";
import { asRefusal, Refused } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

/** Whoever asks: refusals say what to do in their words. */
type Asking = Pick<Surroundings, "reader">;

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
  { reader }: Asking,
  whenRefused?: (result: Result) => Refusing,
): Refusing {
  const refused = asRefusal(problem, reader);
  if (!(refused instanceof Refused)) throw refused;
  return whenRefused ? whenRefused(refused.result) : (refused.result as Refusing);
}
