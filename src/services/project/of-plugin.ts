// What a plugin brings, each call of it in the plugin's own context, and bounded.
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import { failed } from "../../errors/index.ts";
import { OwnCodeFault } from "../../errors/own-code.ts";
import type { Provider } from "../../providers/provider.ts";
import type { OwnGrader } from "../eval/graders/own-grader.ts";
import type { OwnStep, StepAttempt } from "../own-steps/own-step.ts";
import { faultOfEnd, requireStay, untilEnded } from "./plugin-call.ts";
import { inWork, workIn } from "./plugin-work.ts";

export interface BroughtBy {
  /** The plugin, as segno.yaml names it. */
  readonly plugin: string;
  /** Tells a person, in a sentence. */
  readonly warn: (sentence: string) => void;
}

export function stepOfPlugin(own: OwnStep, { plugin, warn }: BroughtBy): OwnStep {
  const { type, description, schema, version = 1, execute } = own;
  const code = `\`execute\` of the step type ${type}`;
  return {
    type,
    description,
    schema,
    version,
    execute(values, attempt) {
      const work = workIn(plugin, attempt);
      const signal = new LinkedSignal(attempt.signal);
      const given = inWork(work, () => execute.call(own, values, signal.in(attempt)));
      if (!(given instanceof Promise)) return work.triedToEnd ? failed(faultOfEnd(code, work.triedToEnd)) : given;
      return untilEnded(given, {
        work,
        code,
        signal: attempt.signal,
        failWith: (raised) => failed(raised),
        broken: (problem) => signal.abort(problem),
        warn,
      }).finally(() => signal.release());
    },
  };
}

export const providerOfPlugin = (own: Provider, { plugin, warn }: BroughtBy): Provider => ({
  name: own.name,
  defaultModel: own.defaultModel,
  call(request, hooks) {
    const work = workIn(plugin);
    return untilEnded(
      inWork(work, async () => own.call(request, hooks)),
      {
        work,
        code: `\`call\` of the provider ${own.name}`,
        signal: request.signal,
        failWith: (raised) => {
          throw new OwnCodeFault(raised);
        },
        warn,
      },
    );
  },
});

export const policyOfPlugin = (own: Policy, { plugin }: BroughtBy): Policy => ({
  name: own.name,
  description: own.description,
  async evaluate(context) {
    const work = workIn(plugin);
    const verdict = await inWork(work, () => own.evaluate(context));
    requireStay(work);
    return verdict;
  },
});

export const graderOfPlugin = (own: OwnGrader, { plugin }: BroughtBy): OwnGrader => ({
  name: own.name,
  async grade(row, options) {
    const work = workIn(plugin);
    const verdict = await inWork(work, () => own.grade(row, options));
    requireStay(work);
    return verdict;
  },
});

/** The signal of an attempt, which can also be aborted from here. Created on first use: most steps never read it. */
class LinkedSignal {
  readonly #outer: AbortSignal;
  #own: AbortController | undefined;
  readonly #follow = (): void => this.#own?.abort(this.#outer.reason);

  constructor(outer: AbortSignal) {
    this.#outer = outer;
  }

  /** The attempt with this signal. */
  in(attempt: StepAttempt): StepAttempt {
    const signal = (): AbortSignal => this.#signal;
    return {
      ...attempt,
      get signal() {
        return signal();
      },
    };
  }

  get #signal(): AbortSignal {
    if (!this.#own) {
      this.#own = new AbortController();
      if (this.#outer.aborted) this.#follow();
      else this.#outer.addEventListener("abort", this.#follow);
    }
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own?.abort(reason);
  }

  /** The attempt has ended: a run's signal lives longer, and would keep every step that listened. */
  release(): void {
    this.#outer.removeEventListener("abort", this.#follow);
  }
}
