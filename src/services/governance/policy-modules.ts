// Policies that authors wrote: found below the workflow's folder, loaded when first asked, held to a time limit. Whatever
// goes wrong with one is a denial with a reason.
import { existsSync, realpathSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { denied, type Policy, type PolicyResult } from "../../engine/guard/resilience/policy.ts";
import { readVerdict } from "../../engine/guard/resilience/policy-engine.ts";
import { type PolicyLimits, PolicyProcess, PolicyTrouble } from "./policy-process.ts";

const LIMITS: PolicyLimits = { loadMs: 5000, answerMs: 5000 };

export class PolicyModules {
  readonly #limits: PolicyLimits;
  readonly #env: Readonly<Record<string, string>>;
  readonly #processes = new Map<string, PolicyProcess>();

  /** `env`: that of steps. */
  constructor(env: Readonly<Record<string, string>>, limits: PolicyLimits = LIMITS) {
    this.#env = env;
    this.#limits = limits;
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
      const { name, verdict } = await this.#process(found.url).ask(context);
      return readVerdict(name || fallback, verdict);
    } catch (problem) {
      if (!(problem instanceof PolicyTrouble)) throw problem;
      const { policy } = problem as PolicyTrouble & { readonly policy?: string };
      return denied(policy || fallback, `${module}: ${problem.message}`, {
        module,
        error: { message: problem.message },
      });
    }
  }

  /** The process that serves the module; a new one when the last has ended or hangs. */
  #process(url: string): PolicyProcess {
    const known = this.#processes.get(url);
    if (known && !known.isSpent) return known;
    const started = new PolicyProcess(url, this.#env, this.#limits);
    this.#processes.set(url, started);
    return started;
  }

  close(): void {
    for (const one of this.#processes.values()) one.close();
    this.#processes.clear();
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
