// A question put to people: whoever sits here is asked, and answers that others write into the store are looked for
// meanwhile. The first one counts.

import type { Awaitable } from "../engine/awaitable.ts";
import { TimeLimit } from "../engine/durable.ts";
import type { Answer, Asker, Asking, Question } from "../engine/people/ask.ts";
import type { HostClock } from "./clock.ts";

/** Answers that come from elsewhere: another process wrote them into the store. */
export interface AnswerBox {
  present(question: Question): void | Promise<void>;
  /** Whatever somebody answered there last, also to another question. */
  get(key: string): Awaitable<Answer | undefined>;
  /** The answer to this very question. */
  answerTo(question: Question): Awaitable<Answer | undefined>;
  close(key: string): void | Promise<void>;
  /** Nobody has answered it: it is asked from the start. */
  forget(key: string): void | Promise<void>;
}

const POLL_MS = 250;

/** Who can be asked: somebody here, somebody elsewhere, both or nobody. */
interface Askable {
  readonly ask?: Asker;
  readonly answers?: AnswerBox;
  readonly clock: HostClock;
}

interface AskedHere extends Asking {
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

export async function askedHere(
  { ask, answers, clock }: Askable,
  question: Question,
  { signal, warn, progress, anew, isRefused = () => false }: AskedHere,
): Promise<Answer | undefined> {
  if (anew) await answers?.forget(question.key);
  const given = await answers?.get(question.key);
  await answers?.present(question);
  const elsewhere = async (): Promise<Answer | "refused" | undefined> => {
    const answer = await answers?.answerTo(question);
    if (!answer || !isRefused(answer)) return answer;
    // Taken away: the question waits for another answer.
    await answers?.forget(question.key);
    await answers?.present(question);
    return "refused";
  };
  const early = await elsewhere();
  if (early && early !== "refused") return early;
  if (given && !early) warn(notCounted(question, given));
  // Nobody can answer any more what was not answered in time.
  const isLate = (): boolean => signal.aborted && signal.reason instanceof TimeLimit;
  if (isLate()) await answers?.close(question.key);
  if (!ask || signal.aborted) return undefined;
  // Whoever answers first is heard; asking the others stops.
  const asking = new AbortController();
  const stop = (): void => asking.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const look = async (): Promise<void> => {
    const answer = await elsewhere();
    if (answer && answer !== "refused") asking.abort();
  };
  // A look that fails is not the last one.
  const polling = answers ? setInterval(() => look().catch(() => {}), POLL_MS) : undefined;
  try {
    const answer = await ask(question, asking.signal, progress, clock);
    const other = await elsewhere();
    if (other && other !== "refused") return other;
    const counts = answer !== undefined && !isRefused(answer);
    if (counts || isLate()) await answers?.close(question.key);
    return counts ? answer : undefined;
  } finally {
    clearInterval(polling);
    signal.removeEventListener("abort", stop);
  }
}

/** Whoever answered thinks that it is done: they are told why they are asked again. */
function notCounted({ node }: Question, answer: Answer): string {
  const said = answer.kind === "gate" ? ` ${JSON.stringify(answer.value)}` : "";
  return `the answer${said} of ${answer.person ?? answer.by} does not count: it was given to another question. What ${node} asks has changed since, so it asks again`;
}
