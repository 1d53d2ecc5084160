// The one process in which a drive runs the policy modules of its files, with the environment of steps: they see none of
// Segno's own secrets, and code that loops, hangs or exits does not affect Segno. Each module has a thread of its own.

import { type ChildProcess, spawn } from "node:child_process";

/** Why a module gave no verdict. Its message is the reason of the denial. */
export class PolicyTrouble extends Error {
  /** The policy's own name, as far as it was loaded. */
  policy: string | undefined;
}

/** Serves the module; plain JavaScript, since nothing is bundled for it. Answers that come together are sent together. */
const MODULE = `
const { parentPort, workerData: { url, thread } } = require("node:worker_threads");
const said = (problem) => (problem instanceof Error ? problem.message || problem.name : String(problem));
const tell = (message) => parentPort.postMessage(JSON.stringify({ thread, ...message }));
let answers = [];
const answer = (one) => {
  if (answers.push(one) === 1) setImmediate(() => { tell({ answers }); answers = []; });
};
tell({ started: true });
import(url).then(
  (found) => {
    const given = found.default;
    const policy = given && typeof given.evaluate !== "function" && given.default ? given.default : given;
    if (!policy || typeof policy.evaluate !== "function") return tell({ broken: "its default export is no policy: it needs name, description and evaluate(context)" });
    const name = typeof policy.name === "string" && policy.name ? policy.name : undefined;
    tell({ ready: true, name });
    parentPort.on("message", (questions) => questions.forEach(async ({ id, context }) => {
      try {
        answer({ id, verdict: JSON.stringify((await policy.evaluate(context)) ?? null) });
      } catch (problem) {
        answer({ id, threw: said(problem) });
      }
    }));
  },
  (problem) => tell({ broken: "it could not be loaded: " + said(problem) }),
);
`;

/** The process. While a module loops, the process still notices that Segno is gone, and ends. */
const HOST = `
const { Worker } = require("node:worker_threads");
process.on("disconnect", () => process.exit());
const threads = new Map();
const start = (thread, url) => {
  const module = new Worker(${JSON.stringify(MODULE)}, { eval: true, workerData: { url, thread }, execArgv: [] });
  const broken = (problem) => process.send(JSON.stringify({ thread, broken: problem instanceof Error ? problem.message : String(problem) }));
  threads.set(thread, module);
  module.on("message", (text) => process.send(text));
  module.on("error", broken);
  module.on("exit", () => threads.delete(thread) && broken("it ended its process"));
};
process.on("message", ({ thread, url, questions, end }) => {
  if (url !== undefined) start(thread, url);
  if (questions) threads.get(thread)?.postMessage(questions);
  if (end) threads.get(thread)?.terminate();
});
`;

type Answer = { readonly id: number; readonly verdict?: string; readonly threw?: string };

type Message =
  | { readonly started: true }
  | { readonly ready: true; readonly name?: string }
  | { readonly broken: string }
  | { readonly answers: readonly Answer[] };

export interface PolicyLimits {
  readonly loadMs: number;
  readonly answerMs: number;
}

export class PolicyHost {
  readonly #child: ChildProcess;
  readonly #threads = new Map<number, PolicyThread>();
  #started = 0;
  isOver = false;

  /** `env`: that of steps. */
  constructor(
    env: Readonly<Record<string, string>>,
    private readonly limits: PolicyLimits,
  ) {
    // What a policy prints is not the run's output.
    this.#child = spawn(process.execPath, ["-e", HOST], {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      windowsHide: true,
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on("message", (text: string) => {
      const message = JSON.parse(text) as Message & { readonly thread: number };
      this.#threads.get(message.thread)?.heard(message);
    });
    const over = (why: string): void => {
      this.isOver = true;
      for (const thread of this.#threads.values()) thread.over(why);
    };
    this.#child.on("error", (problem) => over(problem.message));
    this.#child.on("exit", () => over("it ended its process"));
  }

  load(url: string): PolicyThread {
    const id = ++this.#started;
    const thread = new PolicyThread(this.limits, (message) => {
      if (!this.isOver && this.#child.connected) this.#child.send({ thread: id, ...message });
    });
    this.#threads.set(id, thread);
    thread.begin(url);
    return thread;
  }

  close(): void {
    this.isOver = true;
    this.#child.kill("SIGKILL");
  }
}

const LONG_MS = 2 ** 30;

interface Question {
  readonly id: number;
  readonly context: unknown;
}

type ToThread = { readonly url: string } | { readonly questions: readonly Question[] } | { readonly end: true };

/** One module, for as long as it answers. */
export class PolicyThread {
  readonly #asked = new Map<number, { resolve(verdict: unknown): void; reject(trouble: PolicyTrouble): void }>();
  readonly #ready: Promise<string | undefined>;
  #questions: Question[] = [];
  #last = 0;
  /** It ended, or did not answer in time: no further question is put to it. */
  isSpent = false;
  readonly #loaded = settleable<string | undefined>();
  readonly #isUp = settleable<void>();

  constructor(
    private readonly limits: PolicyLimits,
    private readonly send: (message: ToThread) => void,
  ) {
    // How long a busy machine takes to start the process is not the module's doing.
    this.#ready = this.#isUp.promise.then(() => this.#within(limits.loadMs, "it did not load", this.#loaded.promise));
    this.#ready.catch(() => {});
    this.#loaded.promise.catch(() => {});
  }

  begin(url: string): void {
    this.send({ url });
  }

  /** The module's verdict; throws `PolicyTrouble`. */
  async ask(context: unknown): Promise<{ readonly name: string; readonly verdict: unknown }> {
    // The child does not keep Segno alive: an answer that is due does.
    const due = setInterval(() => {}, LONG_MS);
    const id = ++this.#last;
    let name: string | undefined;
    try {
      name = await this.#ready;
      const answer = new Promise<unknown>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
      this.#put({ id, context });
      return { name: name ?? "", verdict: await this.#within(this.limits.answerMs, "it did not answer", answer) };
    } catch (problem) {
      if (problem instanceof PolicyTrouble) problem.policy = name;
      throw problem;
    } finally {
      clearInterval(due);
      this.#asked.delete(id);
      if (this.isSpent && this.#asked.size === 0) this.send({ end: true });
    }
  }

  /** Questions that come together, as those of a group's items, are sent together. */
  #put(question: Question): void {
    if (this.#questions.push(question) > 1) return;
    setImmediate(() => {
      this.send({ questions: this.#questions });
      this.#questions = [];
    });
  }

  heard(message: Message): void {
    if ("started" in message) this.#isUp.resolve();
    else if ("ready" in message) this.#loaded.resolve(message.name);
    else if ("broken" in message) this.over(message.broken);
    else for (const answer of message.answers) this.#answered(answer);
  }

  #answered({ id, verdict, threw }: Answer): void {
    const asked = this.#asked.get(id);
    if (threw === undefined) asked?.resolve(JSON.parse(verdict ?? "null"));
    else asked?.reject(new PolicyTrouble(threw));
  }

  over(why: string): void {
    this.isSpent = true;
    const trouble = new PolicyTrouble(why);
    this.#loaded.reject(trouble);
    this.#isUp.resolve();
    for (const { reject } of this.#asked.values()) reject(trouble);
  }

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

function settleable<Value>(): {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(problem: Error): void;
} {
  let resolve: (value: Value) => void = () => {};
  let reject: (problem: Error) => void = () => {};
  const promise = new Promise<Value>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}
