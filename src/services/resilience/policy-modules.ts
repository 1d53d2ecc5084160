// Policies that authors wrote: found below the workflow's folder, loaded when first asked, with a time limit. Any fault
// of one is a denial with a reason.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { denied, type Policy, type PolicyResult, readVerdict } from "../../engine/guard/resilience/policy.ts";

const LIMITS: PolicyLimits = { loadMs: 5000, answerMs: 5000 };

export class PolicyModules {
  readonly #processes = new Map<string, PolicyProcess>();

  /** `env`: that of steps. */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly limits: PolicyLimits = LIMITS,
  ) {}

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
    const started = new PolicyProcess(url, this.env, this.limits);
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

// A policy module in a process of its own, with the environment of steps: it sees none of Segno's own secrets, and code
// that loops, hangs or exits does not affect Segno. One process serves a module for as long as it answers.

/** Why a module gave no verdict. Its message is the reason of the denial. */
class PolicyTrouble extends Error {}

/** Serves the module; plain JavaScript, since nothing is bundled for it. */
const MODULE = `
const { parentPort, workerData } = require("node:worker_threads");
const said = (problem) => (problem instanceof Error ? problem.message || problem.name : String(problem));
const tell = (message) => parentPort.postMessage(JSON.stringify(message));
tell({ started: true });
import(workerData).then(
  (found) => {
    const given = found.default;
    const policy = given && typeof given.evaluate !== "function" && given.default ? given.default : given;
    if (!policy || typeof policy.evaluate !== "function") return tell({ broken: "its default export is no policy: it needs name, description and evaluate(context)" });
    const name = typeof policy.name === "string" && policy.name ? policy.name : undefined;
    tell({ ready: true, name });
    parentPort.on("message", async ({ id, context }) => {
      try {
        tell({ id, verdict: (await policy.evaluate(context)) ?? null });
      } catch (problem) {
        tell({ id, threw: said(problem) });
      }
    });
  },
  (problem) => tell({ broken: "it could not be loaded: " + said(problem) }),
);
`;

/** The process. The module is in a thread of it: while that loops, the process still notices that Segno is gone, and ends. */
const HOST = `
const { Worker } = require("node:worker_threads");
process.on("disconnect", () => process.exit());
const module = new Worker(${JSON.stringify(MODULE)}, { eval: true, workerData: process.argv[1], execArgv: [] });
module.on("message", (text) => process.send(text));
module.on("error", (problem) => process.send(JSON.stringify({ broken: problem instanceof Error ? problem.message : String(problem) })));
module.on("exit", () => process.exit());
process.on("message", (asked) => module.postMessage(asked));
`;

type Message =
  | { readonly started: true }
  | { readonly ready: true; readonly name?: string }
  | { readonly broken: string }
  | { readonly id: number; readonly verdict?: unknown; readonly threw?: string };

export interface PolicyLimits {
  readonly loadMs: number;
  readonly answerMs: number;
}

class PolicyProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(verdict: unknown): void; reject(trouble: PolicyTrouble): void }>();
  readonly #ready: Promise<string | undefined>;
  #last = 0;
  /** It ended, or did not answer in time: no further question is put to it. */
  isSpent = false;

  constructor(
    url: string,
    env: Readonly<Record<string, string>>,
    private readonly limits: PolicyLimits,
  ) {
    // What a policy prints is not the run's output.
    this.#child = spawn(process.execPath, ["-e", HOST, url], {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      windowsHide: true,
    });
    let started: () => void = () => {};
    const isUp = new Promise<void>((resolve) => (started = resolve));
    const loaded = new Promise<string | undefined>((resolve, reject) => {
      this.#child.on("message", (text: string) => {
        const message = JSON.parse(text) as Message;
        if ("started" in message) started();
        else this.#heard(message, resolve, reject);
      });
      const over = (why: string): void => {
        this.#over(why, reject);
        started();
      };
      this.#child.on("error", (problem) => over(problem.message));
      this.#child.on("exit", () => over("it ended its process"));
    });
    // How long a busy machine takes to start the process is not the module's doing.
    this.#ready = isUp.then(() => {
      this.#child.unref();
      this.#child.channel?.unref();
      return this.#within(limits.loadMs, "it did not load", loaded);
    });
    this.#ready.catch(() => {});
    loaded.catch(() => {});
  }

  /** The module's verdict; throws `PolicyTrouble`. */
  async ask(context: unknown): Promise<{ readonly name: string; readonly verdict: unknown }> {
    const name = await this.#ready;
    const id = ++this.#last;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    try {
      this.#child.send({ id, context });
      const verdict = await this.#within(this.limits.answerMs, "it did not answer", answer);
      return { name: name ?? "", verdict };
    } catch (problem) {
      if (problem instanceof PolicyTrouble) throw Object.assign(problem, { policy: name });
      throw problem;
    } finally {
      this.#waiting.delete(id);
      if (this.isSpent && this.#waiting.size === 0) this.close();
    }
  }

  close(): void {
    this.isSpent = true;
    this.#child.kill("SIGKILL");
  }

  #heard(
    message: Exclude<Message, { readonly started: true }>,
    ready: (name: string | undefined) => void,
    broken: (trouble: PolicyTrouble) => void,
  ): void {
    if ("ready" in message) ready(message.name);
    else if ("broken" in message) broken(new PolicyTrouble(message.broken));
    else if (message.threw === undefined) this.#waiting.get(message.id)?.resolve(message.verdict);
    else this.#waiting.get(message.id)?.reject(new PolicyTrouble(message.threw));
  }

  #over(why: string, broken: (trouble: PolicyTrouble) => void): void {
    this.isSpent = true;
    const trouble = new PolicyTrouble(why);
    broken(trouble);
    for (const { reject } of this.#waiting.values()) reject(trouble);
  }

  /** The timer also keeps the process alive while an answer is due. */
  async #within<Value>(limitMs: number, what: string, work: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.isSpent = true;
        reject(new PolicyTrouble(`${what} within ${limitMs / 1000} s`));
      }, limitMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
