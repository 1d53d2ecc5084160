// The exit of answers. What makes an answer hides nothing: all of it passes here when it is done, with the secrets of the
// environment and of every run that was read for it.
import { keptIn } from "../../base/errors/mapping.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../../base/redact/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const made = new WeakMap<Environment, Redactor>();

/** For what is shown without a run. Made once for an environment; it learns nothing more. */
export const environmentRedactor = (env: Environment): Pick<Redactor, "text" | "value" | "answer"> =>
  keptIn(made, env, () => createRedactor({ secrets: secretsFromEnvironment(env) }));

/** Of one answer. Another answer that is made for it tells it the secrets of its own runs. */
export class Exit {
  readonly #redactors = new Set<Redactor>();

  constructor(
    private readonly env: Environment,
    private readonly outer?: Exit,
  ) {}

  /** From here on the answer hides what this redactor hides; it knows the secrets of the environment as well. */
  join(redactor: Redactor): void {
    this.#redactors.add(redactor);
    this.outer?.join(redactor);
  }

  /** `hidesNames`: in the answer is data, in which a name says what is a secret. Else names are their author's. */
  answer<Answer>(answer: Answer, { hidesNames = false } = {}): Answer {
    return this.#redactor().answer(answer, { keys: hidesNames ? "redact" : "author" });
  }

  text(text: string): string {
    return this.#redactor().text(text);
  }

  #redactor(): Pick<Redactor, "answer" | "text"> {
    const [first, ...more] = this.#redactors;
    if (!first) return environmentRedactor(this.env);
    if (more.length === 0) return first;
    const all = createRedactor({ secrets: secretsFromEnvironment(this.env), mostByName: Number.POSITIVE_INFINITY });
    for (const redactor of this.#redactors) redactor.teach(all);
    return all;
  }
}

/** What a session has beside its own while an answer is made. */
export interface Exiting {
  readonly exit?: Exit | undefined;
}

/** Gives the redactor of a run that is read for an answer. */
export function joined({ exit }: { readonly env: Environment } & Exiting, redactor: Redactor): Redactor {
  exit?.join(redactor);
  return redactor;
}
