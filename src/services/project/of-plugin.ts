// What a plugin brings, each call of it in the plugin's own context, and bounded.

import { OwnCodeFault, ownCodeFault } from "../../base/errors/envelope.ts";
import { failed, type Raised } from "../../base/errors/index.ts";
import { whenNothingIsLeft } from "../../base/errors/leave-process.ts";
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import type { OwnGrader } from "../../features/evals/graders/grade.ts";
import type { Provider } from "../../providers/provider.ts";
import { NOT_STOPPED, type OwnStep, PATIENCE_MS, patienceWith, type StepAttempt } from "../own-steps/own-step.ts";
import { inWork, type PluginWork, whoseWork, workIn } from "./plugin-work.ts";

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
  #own: AbortController | undefined;
  readonly #follow = (): void => this.#own?.abort(this.outer.reason);

  constructor(private readonly outer: AbortSignal) {}

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
      if (this.outer.aborted) this.#follow();
      else this.outer.addEventListener("abort", this.#follow);
    }
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own?.abort(reason);
  }

  /** The attempt has ended: a run's signal lives longer, and would keep every step that listened. */
  release(): void {
    this.outer.removeEventListener("abort", this.#follow);
  }
}

// A call of a plugin's code that is not over at once. It ends by itself; or because something that it began has failed,
// because nothing is left in this program that could end it, or some seconds after its signal when it does not heed
// that: its caller holds a slot that others wait for.

export interface PluginCall<Given> {
  readonly work: PluginWork;
  /** "`execute` of the step type shout". */
  readonly code: string;
  /** Aborts on timeout and cancel. */
  readonly signal: AbortSignal;
  /** What the call gives, or throws, when it does not end by itself. */
  readonly failWith: (raised: Raised) => Given;
  /** The call ends with what it began and did not wait for, and hears of it here. */
  readonly broken?: (problem: unknown) => void;
  /** Tells a person, in a sentence. */
  readonly warn: (sentence: string) => void;
}

async function untilEnded<Given>(given: Promise<Given>, call: PluginCall<Given>): Promise<Given> {
  const { work, code, signal, broken } = call;
  let stop: (message: string, problem?: unknown) => void = () => {};
  const stopped = new Promise<() => Given>((end) => {
    stop = (message, problem) => end(() => call.failWith(ownCodeFault(code, `${code} ${message}`, problem)));
  });
  const settled = whenNothingIsLeft(() =>
    stop("waits for something that never comes: nothing is left in this program that could end it"),
  );
  if (broken)
    work.fail = (why, problem) => {
      stop(`began something that failed and that it did not wait for: ${why}`, problem);
      // Whatever it still does is no longer waited for.
      broken(problem);
    };
  const patience = patienceWith(signal, () => {
    call.warn(
      `${whoseWork(work)} did not stop: ${code} went on for ${PATIENCE_MS / 1000} seconds after its \`signal\` was aborted. It is not waited for any longer, and may still be doing something.`,
    );
    stop(NOT_STOPPED);
  });
  try {
    const end = await Promise.race([given.then((value) => () => value), stopped]);
    requireStay(work);
    return end();
  } catch (problem) {
    if (work.triedToEnd) return call.failWith(faultOfEnd(code, work.triedToEnd));
    throw problem;
  } finally {
    settled();
    work.fail = undefined;
    patience.end();
  }
}

/** What the call has failed with when it tried to end the process. */
const faultOfEnd = (code: string, problem: Error): Raised =>
  ownCodeFault(code, `${code} tried to end the program: ${problem.message}`, problem);

/** Throws when it tried to end the process, whatever it made of that. */
function requireStay({ triedToEnd }: PluginWork): void {
  if (triedToEnd) throw triedToEnd;
}
