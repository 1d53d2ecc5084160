// Puts a question to people: asks the person at this terminal, and looks in the store for answers from elsewhere. The
// first answer counts; the second person gets a warning.
import type { Awaitable } from "../base/awaitable.ts";
import { TimeLimit } from "../engine/durable.ts";
import { type Answer, type Asker, type Asking, answerText, type Question } from "../engine/people/ask.ts";
import type { HostClock } from "./clock.ts";
import { follow } from "./follow-signal.ts";
import type { Arrivals, WaitOutcome } from "./open-questions.ts";

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
  /** Left out where nobody answers while the run is driven: it then pauses without waiting for other branches. */
  readonly arrivals?: Arrivals;
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
  /** Waits for an answer of another process while other branches go on. */
  readonly waitElsewhere?: () => Promise<WaitOutcome>;
}

export async function askedHere(
  { ask, answers, clock }: Askable,
  question: Question,
  { signal, warn, progress, anew, isRefused = () => false, waitElsewhere }: AskedHere,
): Promise<Answer | undefined> {
  if (anew) await answers?.forget(question.key);
  const given = await answers?.get(question.key);
  await answers?.present(question);
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
  const waited = async (): Promise<Answer | undefined> => {
    for (;;) {
      if (isLate()) return settled();
      if (signal.aborted || !waitElsewhere) return undefined;
      const outcome = await waitElsewhere();
      if (outcome === "pause") return undefined;
      const answer = outcome === "answered" ? await elsewhere() : "refused";
      if (answer !== "refused") return answer;
    }
  };
  if (!ask || signal.aborted) return waited();
  // The first answer counts; asking the others stops.
  const asking = new AbortController();
  const leave = follow(signal, asking);
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
    if (answer || isLate()) {
      const first = await settled(answer);
      if (answer && first && first !== answer) warn(cameSecond(question, answer, first));
      return first;
    }
    const other = await elsewhere();
    if (other && other !== "refused") return other;
  } finally {
    clearInterval(polling);
    leave();
  }
  return waited();
}

const personOf = ({ person, by }: Answer): string => person ?? by;

const cameSecond = ({ node }: Question, answer: Answer, first: Answer): string =>
  `the answer ${answerText(answer)} of ${personOf(answer)} to ${node} does not count: ${personOf(first)} answered first, with ${answerText(first)}`;

/** Says why a question that was already answered is asked again. */
function notCounted({ node }: Question, answer: Answer): string {
  const said = answer.kind === "gate" ? ` ${JSON.stringify(answer.value)}` : "";
  return `the answer${said} of ${personOf(answer)} does not count: it was given to another question. What ${node} asks has changed since, so it asks again`;
}
