// Policies that authors wrote: found below the workflow's folder, loaded when first asked, with a time limit. Any fault
// of one is a denial with a reason.

import { existsSync, realpathSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { denied, type Policy, type PolicyResult, readVerdict } from "../../engine/guard/resilience/policy.ts";
import { PolicyHost, type PolicyLimits, PolicyTrouble } from "./policy-host.ts";

const LIMITS: PolicyLimits = { loadMs: 5000, answerMs: 5000 };

export class PolicyModules {
  #host: PolicyHost | undefined;

  /** `env`: that of steps. */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly limits: PolicyLimits = LIMITS,
  ) {}

  /** Loads a module before it is asked: the process takes a while to start. */
  load(module: string, dir: string): void {
    const found = locate(module, dir);
    if ("url" in found)
      void this.#process()
        .load(found.url)
        .catch(() => {});
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
    const found = locate(module, dir);
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
    if (!this.#host || this.#host.isSpent) this.#host = new PolicyHost(this.env, this.limits);
    return this.#host;
  }

  close(): void {
    this.#host?.close();
  }
}

/** Links are followed first: a link that leads out is outside. */
function locate(module: string, dir: string): { readonly url: string } | { readonly reason: string } {
  const path = resolve(dir, module);
  if (!existsSync(path)) return { reason: `the policy module ${module} does not exist (looked for ${path})` };
  const real = realpathSync(path);
  if (!real.startsWith(realpathSync(dir) + sep))
    return { reason: `the policy module ${module} is not below the workflow's folder; only code from there is loaded` };
  return { url: pathToFileURL(real).href };
}
