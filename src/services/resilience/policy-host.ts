// The one process in which a drive runs the policy modules of its files, with the environment of steps: they see none of
// Segno's own secrets, and code that loops, hangs or exits does not affect Segno. Modules share a thread: when one of them
// blocks or ends it, whatever was asked of the others meanwhile is denied too.

import { type ChildProcess, spawn } from "node:child_process";
import type { PolicyCode } from "./policy-code.ts";

/** Why a module gave no verdict. Its message is the reason of the denial. */
export class PolicyTrouble extends Error {
  /** The policy's own name, as far as it was loaded. */
  policy: string | undefined;
}

/** Ends the process when Segno is gone, also while a module loops: it runs in a thread of its own. */
const WATCH = `
const { workerData: parent } = require("node:worker_threads");
setInterval(() => {
  try { process.kill(parent, 0); } catch { process.kill(process.pid, "SIGKILL"); }
}, 1000);
`;

/**
 * How the process loads files: those of the workflow's folder from the texts that it was given. Packages come from the disk,
 * and only until all modules are loaded, which is before the first step.
 */
const HOOKS = `
let texts = new Map();
let isSealed = false;
export const initialize = (given) => {
  texts = new Map(given.texts);
  given.port.on("message", () => { isSealed = true; });
  given.port.unref();
};
const FORMATS = { mjs: "module", cjs: "commonjs", json: "json" };
export const load = async (url, context, next) => {
  if (!url.startsWith("file:")) return next(url, context);
  const text = texts.get(url.replace(/[?#].*$/, ""));
  if (text !== undefined) {
    // Asked for what kind of module it is.
    const found = await next(url, context).catch(() => undefined);
    const format = found?.format ?? FORMATS[url.split(".").at(-1)] ?? "commonjs";
    return { ...found, format, source: text, shortCircuit: true };
  }
  const path = decodeURIComponent(new URL(url).pathname);
  if (!path.includes("/node_modules/"))
    throw new Error(path + " was not read when the run was checked. Name it in the module by its plain path from there, as in import './x.js'");
  if (isSealed) throw new Error(path + " was not loaded when the run began: import it at the top of the module");
  return next(url, context);
};
`;

/** Serves the modules; plain JavaScript, since nothing is bundled for it. Answers that come together are sent together. */
const HOST = `
const { MessageChannel, Worker } = require("node:worker_threads");
const { register } = require("node:module");
let watch;
let hooks;
const begin = (texts) => {
  const { port1, port2 } = new MessageChannel();
  hooks = port1;
  hooks.unref();
  const address = "data:text/javascript," + encodeURIComponent(${JSON.stringify(HOOKS)});
  register(address, { data: { texts, port: port2 }, transferList: [port2] });
};
process.on("disconnect", () => process.exit());
const said = (problem) => (problem instanceof Error ? problem.message || problem.name : String(problem));
const tell = (message) => process.send(JSON.stringify(message));
let answers = [];
const answer = (one) => {
  if (answers.push(one) === 1) setImmediate(() => { tell({ answers }); answers = []; });
};
const policies = new Map();
const load = (url) => import(url).then(
  (found) => {
    const given = found.default;
    const policy = given && typeof given.evaluate !== "function" && given.default ? given.default : given;
    if (!policy || typeof policy.evaluate !== "function") return tell({ module: url, broken: "its default export is no policy: it needs name, description and evaluate(context)" });
    policies.set(url, policy);
    tell({ module: url, name: typeof policy.name === "string" ? policy.name : "" });
  },
  (problem) => tell({ module: url, broken: "it could not be loaded: " + said(problem) }),
);
const ask = async ({ id, module, context }) => {
  try {
    answer({ id, verdict: JSON.stringify((await policies.get(module).evaluate(context)) ?? null) });
  } catch (problem) {
    answer({ id, threw: said(problem) });
  }
};
process.on("message", ({ texts, module, areAllLoaded, questions = [] }) => {
  if (texts !== undefined) begin(texts);
  if (areAllLoaded) hooks.postMessage("sealed");
  if (module !== undefined) load(module);
  watch ??= new Worker(${JSON.stringify(WATCH)}, { eval: true, workerData: process.ppid, execArgv: [] });
  questions.forEach(ask);
});
tell({ started: true });
`;

type Answer = { readonly id: number; readonly verdict?: string; readonly threw?: string };

type Message =
  | { readonly started: true }
  | { readonly module: string; readonly name: string }
  | { readonly module: string; readonly broken: string }
  | { readonly answers: readonly Answer[] };

type ToHost =
  /** First of all: the files that modules are loaded from. */
  | { readonly texts: readonly (readonly [url: string, text: string])[] }
  | { readonly module: string }
  | { readonly areAllLoaded: true }
  | { readonly questions: readonly Question[] };

export interface PolicyLimits {
  readonly loadMs: number;
  readonly answerMs: number;
}

interface Question {
  readonly id: number;
  /** The module's address. */
  readonly module: string;
  readonly context: unknown;
}

export class PolicyHost {
  readonly #child: ChildProcess;
  readonly #started = settleable<void>();
  /** By module: its policy's own name, once it is loaded. */
  readonly #modules = new Map<string, Settleable<string> & { readonly ready: Promise<string> }>();
  readonly #asked = new Map<number, Settleable<unknown>>();
  #questions: Question[] = [];
  #last = 0;
  /** It ended, or a module did not answer in time: no further question is put to it. */
  isSpent = false;

  /** Settles when every module has been loaded, or could not be. */
  readonly loaded: Promise<void>;

  /** `env`: that of steps. */
  constructor(
    env: Readonly<Record<string, string>>,
    code: Pick<PolicyCode, "modules" | "texts">,
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
    this.#child.on("message", (text: string) => this.#heard(JSON.parse(text) as Message));
    this.#child.on("error", (problem) => this.#over(problem.message));
    this.#child.on("exit", () => this.#over("it ended its process"));
    this.#send({ texts: [...code.texts] });
    // The child does not keep Segno alive: what is awaited of it does.
    const due = setInterval(() => {}, LONG_MS);
    this.loaded = Promise.allSettled(code.modules.map((module) => this.#load(module))).then(() => {
      clearInterval(due);
      this.#send({ areAllLoaded: true });
    });
  }

  /** Loads a module, once. */
  #load(module: string): Promise<string> {
    const known = this.#modules.get(module);
    if (known) return known.ready;
    const loaded = settleable<string>();
    // How long a busy machine takes to start the process is not the module's doing.
    const ready = this.#started.promise.then(() => this.#within(this.limits.loadMs, "it did not load", loaded.promise));
    ready.catch(() => {});
    this.#modules.set(module, { ...loaded, ready });
    this.#send({ module });
    return ready;
  }

  /** The module's verdict; throws `PolicyTrouble`. */
  async ask(module: string, context: unknown): Promise<{ readonly name: string; readonly verdict: unknown }> {
    // The child does not keep Segno alive: an answer that is due does.
    const due = setInterval(() => {}, LONG_MS);
    const id = ++this.#last;
    const answer = settleable<unknown>();
    this.#asked.set(id, answer);
    let name: string | undefined;
    try {
      await this.loaded;
      name = await this.#load(module);
      this.#put({ id, module, context });
      return { name, verdict: await this.#within(this.limits.answerMs, "it did not answer", answer.promise) };
    } catch (problem) {
      if (problem instanceof PolicyTrouble) problem.policy = name;
      throw problem;
    } finally {
      clearInterval(due);
      this.#asked.delete(id);
      if (this.isSpent && this.#asked.size === 0) this.close();
    }
  }

  close(): void {
    this.isSpent = true;
    this.#child.kill("SIGKILL");
  }

  /** Questions that come together, as those of a group's items, are sent together. */
  #put(question: Question): void {
    if (this.#questions.push(question) > 1) return;
    setImmediate(() => {
      this.#send({ questions: this.#questions });
      this.#questions = [];
    });
  }

  #send(message: ToHost): void {
    if (this.#child.connected) this.#child.send(message);
  }

  #heard(message: Message): void {
    if ("started" in message) this.#started.resolve();
    else if ("broken" in message) this.#modules.get(message.module)?.reject(new PolicyTrouble(message.broken));
    else if ("module" in message) this.#modules.get(message.module)?.resolve(message.name);
    else
      for (const { id, verdict = "null", threw } of message.answers)
        if (threw === undefined) this.#asked.get(id)?.resolve(JSON.parse(verdict));
        else this.#asked.get(id)?.reject(new PolicyTrouble(threw));
  }

  #over(why: string): void {
    this.isSpent = true;
    for (const one of [this.#started, ...this.#modules.values(), ...this.#asked.values()])
      one.reject(new PolicyTrouble(why));
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

const LONG_MS = 2 ** 30;

interface Settleable<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (problem: Error) => void;
}

function settleable<Value>(): Settleable<Value> {
  let resolve: (value: Value) => void = () => {};
  let reject: (problem: Error) => void = () => {};
  const promise = new Promise<Value>((...settle) => ([resolve, reject] = settle));
  // Whoever waits for it hears of a rejection; often nobody does.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
