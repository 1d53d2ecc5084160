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
  { signal, warn, progress, anew }: AskedHere,
): Promise<Answer | undefined> {
  if (anew) await answers?.forget(question.key);
  const given = await answers?.get(question.key);
  await answers?.present(question);
  const early = await answers?.answerTo(question);
  if (early) return early;
  if (given) warn(notCounted(question, given));
  // Nobody can answer any more what was not answered in time.
  const isLate = (): boolean => signal.aborted && signal.reason instanceof TimeLimit;
  if (isLate()) await answers?.close(question.key);
  if (!ask || signal.aborted) return undefined;
  // Whoever answers first is heard; asking the others stops.
  const asking = new AbortController();
  const stop = (): void => asking.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const look = async (box: AnswerBox): Promise<void> => {
    if (await box.answerTo(question)) asking.abort();
  };
  // A look that fails is not the last one.
  const elsewhere = answers ? setInterval(() => look(answers).catch(() => {}), POLL_MS) : undefined;
  try {
    const answer = await ask(question, asking.signal, progress, clock);
    const other = await answers?.answerTo(question);
    if (other) return other;
    if (answer || isLate()) await answers?.close(question.key);
    return answer;
  } finally {
    clearInterval(elsewhere);
    signal.removeEventListener("abort", stop);
  }
}

/** Whoever answered thinks that it is done: they are told why they are asked again. */
function notCounted({ node }: Question, answer: Answer): string {
  const said = answer.kind === "gate" ? ` ${JSON.stringify(answer.value)}` : "";
  return `the answer${said} of ${answer.person ?? answer.by} does not count: it was given to another question. What ${node} asks has changed since, so it asks again`;
}
