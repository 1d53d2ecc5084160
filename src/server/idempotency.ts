// The same write sent twice is done once: a double click, or a page that did not hear the answer, gets what the first got.
import { createHash } from "node:crypto";
import type { ProblemJson } from "./contract/problem.ts";

const MOST_KEYS = 2000;

export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class Idempotency {
  readonly #answers = new Map<string, { readonly request: string; readonly answer: Promise<KeptAnswer> }>();

  /**
   * `asked` is what was asked under the key: the same key for something else is a mistake. Of each only a digest is kept,
   * a request may be long. `whose`: keys are everybody's own.
   */
  once(whose: string, given: string, asked: string, act: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const key = digest(JSON.stringify([whose, given]));
    const request = digest(asked);
    const known = this.#answers.get(key);
    if (known && known.request !== request) return Promise.resolve(otherRequest(given));
    if (known) return known.answer;
    const answer = act();
    this.#answers.set(key, { request, answer });
    // What failed by a defect may be tried again.
    answer.catch(() => this.#answers.delete(key));
    if (this.#answers.size > MOST_KEYS) for (const oldest of this.#answers.keys()) return this.#drop(oldest, answer);
    return answer;
  }

  #drop(oldest: string, answer: Promise<KeptAnswer>): Promise<KeptAnswer> {
    this.#answers.delete(oldest);
    return answer;
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

function otherRequest(key: string): KeptAnswer {
  const body: ProblemJson = {
    status: 400,
    code: "bad_request",
    message: `the Idempotency-Key ${key} was used for another request; take a new one for each act`,
  };
  return { status: 400, body };
}
