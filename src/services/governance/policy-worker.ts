// A policy module in a thread of its own: code that loops, hangs or leaves takes nothing with it. One thread serves a
// module for as long as it answers.
import { Worker } from "node:worker_threads";

/** Why a module gave no verdict. Its message is the reason of the denial. */
export class PolicyTrouble extends Error {}

export interface Answered {
  readonly name: string;
  readonly verdict: unknown;
}

/** Runs in the thread; plain JavaScript, since nothing is bundled for it. */
const SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const said = (problem) => (problem instanceof Error ? problem.message || problem.name : String(problem));
const tell = (message) => parentPort.postMessage(JSON.stringify(message));
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

type Message =
  | { readonly ready: true; readonly name?: string }
  | { readonly broken: string }
  | { readonly id: number; readonly verdict?: unknown; readonly threw?: string };

interface Waiting {
  resolve(verdict: unknown): void;
  reject(trouble: PolicyTrouble): void;
}

export class PolicyWorker {
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<string | undefined>;
  #last = 0;
  /** It ended, or did not answer in time: no further question is put to it. */
  isSpent = false;

  constructor(url: string, limitMs: number) {
    this.#limitMs = limitMs;
    // What a policy prints is not the run's output.
    this.#worker = new Worker(SOURCE, { eval: true, workerData: url, stdout: true, stderr: true, execArgv: [] });
    this.#ready = this.#within(
      "it did not load",
      new Promise((resolve, reject) => {
        this.#worker.on("message", (text: string) => this.#heard(JSON.parse(text) as Message, resolve, reject));
        this.#worker.on("error", (problem) =>
          this.#over(problem instanceof Error ? problem.message : String(problem), reject),
        );
        this.#worker.on("exit", () => this.#over("it ended its process", reject));
      }),
    );
    this.#ready.catch(() => {});
    this.#worker.unref();
  }

  /** The module's verdict; throws `PolicyTrouble`. */
  async ask(context: unknown): Promise<Answered> {
    const name = await this.#ready;
    const id = ++this.#last;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    try {
      this.#worker.postMessage({ id, context });
      const verdict = await this.#within("it did not answer", answer);
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
    void this.#worker.terminate();
  }

  #heard(message: Message, ready: (name: string | undefined) => void, broken: (trouble: PolicyTrouble) => void): void {
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
  async #within<Value>(what: string, work: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.isSpent = true;
        reject(new PolicyTrouble(`${what} within ${this.#limitMs / 1000} s`));
      }, this.#limitMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
