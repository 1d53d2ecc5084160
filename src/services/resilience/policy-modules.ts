// Policies that authors wrote: found below the workflow's folder, loaded when first asked, with a time limit. Any fault
// of one is a denial with a reason.

import { existsSync, realpathSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { denied, type Policy, type PolicyResult, readVerdict } from "../../engine/guard/resilience/policy.ts";
import { PolicyHost, type PolicyLimits, type PolicyThread, PolicyTrouble } from "./policy-host.ts";

const LIMITS: PolicyLimits = { loadMs: 5000, answerMs: 5000 };

export class PolicyModules {
  readonly #threads = new Map<string, PolicyThread>();
  #host: PolicyHost | undefined;

  /** `env`: that of steps. */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly limits: PolicyLimits = LIMITS,
  ) {}

  /** Loads a module before it is asked: the process takes a while to start. */
  load(module: string, dir: string): void {
    const found = locate(module, dir);
    if ("url" in found) this.#thread(found.url);
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
      const { name, verdict } = await this.#thread(found.url).ask(context);
      return readVerdict(name || fallback, verdict);
    } catch (problem) {
      if (!(problem instanceof PolicyTrouble)) throw problem;
      return denied(problem.policy || fallback, `${module}: ${problem.message}`, {
        module,
        error: { message: problem.message },
      });
    }
  }

  /** The thread that serves the module; a new one when the last has ended or hangs. */
  #thread(url: string): PolicyThread {
    const known = this.#threads.get(url);
    if (known && !known.isSpent) return known;
    if (!this.#host || this.#host.isOver) this.#host = new PolicyHost(this.env, this.limits);
    const thread = this.#host.load(url);
    this.#threads.set(url, thread);
    return thread;
  }

  close(): void {
    this.#host?.close();
    this.#threads.clear();
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
