// Policies that authors wrote: found below the workflow's folder, loaded before the first step, with a time limit. Any fault
// of one is a denial with a reason.
import { basename } from "node:path";
import { denied, type Policy, type PolicyResult, readVerdict } from "../../engine/guard/resilience/policy.ts";
import type { PolicyCode } from "./policy-code.ts";
import { PolicyHost, type PolicyLimits, PolicyTrouble } from "./policy-host.ts";

const LIMITS: PolicyLimits = { loadMs: 5000, answerMs: 5000 };

export class PolicyModules {
  #host: PolicyHost | undefined;

  /** `env`: that of steps. */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly code: PolicyCode,
    private readonly limits: PolicyLimits = LIMITS,
  ) {}

  /** Loads all modules. To be awaited before the first step, which could change what they take in. */
  async load(): Promise<void> {
    if (this.code.texts.size > 0) await this.#process().loaded;
  }

  policy(module: string, dir: string): Policy {
    const fallback = basename(module).replace(/\.[cm]?js$/, "");
    return {
      name: fallback,
      description: `The policy module ${module}.`,
      evaluate: (context) => this.#evaluate(module, dir, fallback, context),
    };
  }

  async #evaluate(module: string, dir: string, fallback: string, context: unknown): Promise<PolicyResult> {
    const found = this.code.locate(module, dir);
    if ("reason" in found) return denied(fallback, found.reason, { module });
    try {
      const { name, verdict } = await this.#process().ask(found.url, context);
      return readVerdict(name || fallback, verdict);
    } catch (problem) {
      if (!(problem instanceof PolicyTrouble)) throw problem;
      return denied(problem.policy || fallback, `${module}: ${problem.message}`, {
        module,
        error: { message: problem.message },
      });
    }
  }

  /** A new process when a module of the last one has ended it or hangs. */
  #process(): PolicyHost {
    if (!this.#host || this.#host.isSpent) this.#host = new PolicyHost(this.env, this.code, this.limits);
    return this.#host;
  }

  close(): void {
    this.#host?.close();
  }
}
