// Puts a question to people: asks the person at this terminal, and polls the store for answers from elsewhere. The
// first answer counts; the second person gets a warning. Also measures the time that passes meanwhile, which time
// limits do not count.
import type { Awaitable } from "../base/awaitable.ts";
import { TimeLimit } from "../engine/durable.ts";
import { type Answer, type Asker, type Asking, answerText, type Question } from "../engine/people/ask.ts";
import type { HostClock } from "./clock.ts";
import { follow } from "./pool.ts";

export class AskingTime {
  #open = 0;
  #since = 0;
  #spent = 0;
  /** Called when the last open question is closed. */
  readonly #resting = new Set<() => void>();

  constructor(private readonly clock: Pick<HostClock, "now" | "after">) {}

  /** A person is asked, until what is given back is called. */
  begin(): () => void {
    if (this.#open++ === 0) this.#since = this.clock.now();
    return () => {
      if (--this.#open > 0) return;
      this.#spent += this.clock.now() - this.#since;
      const resting = [...this.#resting];
      this.#resting.clear();
      for (const goOn of resting) goOn();
    };
  }

  /** Calls `call` after `ms` milliseconds without an open question; the returned function cancels it. */
  afterBeside(ms: number, call: () => void): () => void {
    const began = this.#beside();
    let callOff: () => void;
    const look = (): void => {
      const left = ms - (this.#beside() - began);
      if (left <= 0) call();
      else if (this.#open === 0) callOff = this.clock.after(left, look);
      else {
        this.#resting.add(look);
        callOff = () => this.#resting.delete(look);
      }
    };
    callOff = this.clock.after(ms, look);
    return () => callOff();
  }

  /** A signal that is aborted after so long, or with its parent. `besideAsking`: time in which a question is open does not count. */
  limit(
    seconds: number | undefined,
    parent: AbortSignal,
    besideAsking: boolean,
  ): { readonly signal: AbortSignal; dispose(): void } {
    if (seconds === undefined) return { signal: parent, dispose: () => {} };
    const limit = new AbortController();
    const leave = follow(parent, limit);
    const over = (): void => limit.abort(new TimeLimit(seconds));
    const cancel = besideAsking ? this.afterBeside(seconds * 1000, over) : this.clock.after(seconds * 1000, over);
    return {
      signal: limit.signal,
      dispose: () => {
        cancel();
        leave();
      },
    };
  }

  /** A clock that stands still while a question is open. */
  #beside(): number {
    return (this.#open > 0 ? this.#since : this.clock.now()) - this.#spent;
  }
}

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
    if (!answer && !isLate()) {
      const other = await elsewhere();
      return other === "refused" ? undefined : other;
    }
    const first = await settled(answer);
    if (answer && first && first !== answer) warn(cameSecond(question, answer, first));
    return first;
  } finally {
    clearInterval(polling);
    leave();
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
