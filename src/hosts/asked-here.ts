// A question put to people: the person here is asked, and answers that others write into the store are looked for
// meanwhile. The first answer counts; the second person gets a warning that theirs does not. The answer given here and
// the end of the question in the store are one atomic operation.

import type { Awaitable } from "../engine/awaitable.ts";
import { TimeLimit } from "../engine/durable.ts";
import { type Answer, type Asker, type Asking, answerText, type Question } from "../engine/people/ask.ts";
import type { HostClock } from "./clock.ts";

/** Answers that come from elsewhere: another process wrote them into the store. */
export interface AnswerBox {
  present(question: Question): void | Promise<void>;
  /** The last answer there that no drive has taken, also one to another question. */
  get(key: string): Awaitable<Answer | undefined>;
  /** The answer to this very question. */
  answerTo(question: Question): Awaitable<Answer | undefined>;
  /** Closes the question with the answer that was given here, or with none; gives the answer that came before that. */
  settle(question: Question, answer?: Answer): Awaitable<Answer | undefined>;
  /** Drops what was answered: the question is asked from the start. */
  forget(key: string): void | Promise<void>;
}

const POLL_MS = 250;

/** Who can be asked: a person here, people elsewhere, both or none. */
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
  /** The question waits for another answer. */
  const reopen = async (): Promise<void> => {
    await answers?.forget(question.key);
    await answers?.present(question);
  };
  const elsewhere = async (): Promise<Answer | "refused" | undefined> => {
    const answer = await answers?.answerTo(question);
    if (!answer || !isRefused(answer)) return answer;
    await reopen();
    return "refused";
  };
  const settled = async (answer?: Answer): Promise<Answer | undefined> => {
    const first = await answers?.settle(question, answer);
    if (!first) return answer;
    if (!isRefused(first)) return first;
    await reopen();
    return settled(answer);
  };
  const early = await elsewhere();
  if (early && early !== "refused") return early;
  if (given && !early) warn(notCounted(question, given));
  const isLate = (): boolean => signal.aborted && signal.reason instanceof TimeLimit;
  if (!ask || signal.aborted) return isLate() ? settled() : undefined;
  // The first answer counts; asking the others stops.
  const asking = new AbortController();
  const stop = (): void => asking.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const look = async (): Promise<void> => {
    const answer = await elsewhere();
    if (answer && answer !== "refused") asking.abort();
  };
  let looking: Promise<void> = Promise.resolve();
  // A look that fails is not the last one.
  const again = (): void => {
    looking = looking.then(look).catch(() => {});
  };
  const polling = answers ? setInterval(again, POLL_MS) : undefined;
  try {
    const said = await ask(question, asking.signal, progress, clock);
    clearInterval(polling);
    // A look that is under way could take away what is answered next.
    await looking;
    // An answer that does not count leaves the question open for those whose answer does.
    const answer = said && !isRefused(said) ? said : undefined;
    if (!answer && !isLate()) {
      const other = await elsewhere();
      return other === "refused" ? undefined : other;
    }
    const first = await settled(answer);
    if (answer && first && first !== answer) warn(cameSecond(question, answer, first));
    return first;
  } finally {
    clearInterval(polling);
    signal.removeEventListener("abort", stop);
  }
}

const personOf = ({ person, by }: Answer): string => person ?? by;

const cameSecond = ({ node }: Question, answer: Answer, first: Answer): string =>
  `the answer ${answerText(answer)} of ${personOf(answer)} to ${node} does not count: ${personOf(first)} answered first, with ${answerText(first)}`;

/** Says why a question that was already answered is asked again. */
function notCounted({ node }: Question, answer: Answer): string {
  const said = answer.kind === "gate" ? ` ${JSON.stringify(answer.value)}` : "";
  return `the answer${said} of ${personOf(answer)} does not count: it was given to another question. What ${node} asks has changed since, so it asks again`;
}
