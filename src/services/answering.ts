// The door of every service: what was refused inside becomes the answer. Defects go through.
import type { Awaitable } from "../engine/awaitable.ts";
import type { Result } from "../results/result.ts";
import { asRefusal, Refused } from "./refusals.ts";

/** Gives what the work gives; when it was refused, what `whenRefused` makes of the result. */
export async function answering<Answer, Refusing = Result>(
  work: () => Awaitable<Answer>,
  whenRefused?: (result: Result) => Refusing,
): Promise<Answer | Refusing> {
  try {
    return await work();
  } catch (problem) {
    return refusing(problem, whenRefused);
  }
}

/** The same for what needs no store. */
export function answeringAtOnce<Answer, Refusing = Result>(
  work: () => Answer,
  whenRefused?: (result: Result) => Refusing,
): Answer | Refusing {
  try {
    return work();
  } catch (problem) {
    return refusing(problem, whenRefused);
  }
}

function refusing<Refusing>(problem: unknown, whenRefused?: (result: Result) => Refusing): Refusing {
  const refused = asRefusal(problem);
  if (!(refused instanceof Refused)) throw refused;
  return whenRefused ? whenRefused(refused.result) : (refused.result as Refusing);
}
