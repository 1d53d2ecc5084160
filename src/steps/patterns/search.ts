// Looks for patterns in texts: with RE2 in linear time, so that no answer can hang the engine; what RE2 cannot say runs on
// V8's engine in a thread of its own, which is ended after a second.
import { Worker } from "node:worker_threads";
import type { RE2JS } from "re2js";
import { translate } from "./translate.ts";

/** `python`: patterns are Python's. `re2`: they are RE2's, and Python's where RE2 cannot read them. */
export type PatternDialect = "python" | "re2";

interface Compiled {
  /** For texts of ASCII alone, and for all. */
  readonly ascii?: RE2JS;
  readonly any?: RE2JS;
  readonly backtracking?: RegExp;
  readonly problem?: string;
}

/** Whether a pattern is in a text, or why that cannot be told. */
export type Found = boolean | { readonly problem: string };

export class PatternTimeout extends Error {
  constructor(
    readonly pattern: string,
    readonly length: number,
  ) {
    super(`it took longer than a second on a text of ${length} characters`);
  }
}

export interface PatternSearch {
  /** Undefined: it is for V8, which `settle` asks. */
  find(pattern: string, text: string): Found | undefined;
  /** Answers what `find` could not; false if there was nothing. Throws a PatternTimeout. */
  settle(): Promise<boolean>;
}

const compiled = new Map<string, Compiled>();
const MOST_COMPILED = 200;

export async function patternSearch(dialect: PatternDialect, limitMs = 1000): Promise<PatternSearch> {
  const { RE2JS: engine } = await import("re2js");
  const open = new Map<string, { readonly pattern: string; readonly text: string; readonly by: RegExp }>();
  const settled = new Map<string, boolean>();
  return {
    find(pattern, text) {
      const { ascii, any, backtracking, problem } = compile(pattern, dialect, engine);
      const linear = isAscii(text) ? (ascii ?? any) : any;
      if (linear) return linear.matcher(text).find();
      if (!backtracking) return { problem: problem ?? "RE2 cannot read it" };
      const key = `${pattern}\0${text}`;
      const known = settled.get(key);
      if (known === undefined) open.set(key, { pattern, text, by: backtracking });
      return known;
    },
    async settle() {
      if (open.size === 0) return false;
      for (const [key, { pattern, text, by }] of open) {
        const isThere = await Thread.test(by, text, limitMs);
        if (isThere === undefined) throw new PatternTimeout(pattern, text.length);
        settled.set(key, isThere);
      }
      open.clear();
      return true;
    },
  };
}

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

function compile(pattern: string, dialect: PatternDialect, engine: typeof RE2JS): Compiled {
  const key = `${dialect} ${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const made = compileAnew(pattern, dialect, engine);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(key, made);
  return made;
}

function compileAnew(pattern: string, dialect: PatternDialect, engine: typeof RE2JS): Compiled {
  const own = dialect === "re2" ? linearOf(pattern, engine) : undefined;
  if (own) return { any: own };
  const { linear, backtracking, problem } = translate(pattern);
  const ascii = linearOf(linear.ascii, engine);
  const any = linearOf(linear.any, engine);
  return {
    ...(ascii ? { ascii } : {}),
    ...(any ? { any } : {}),
    ...(backtracking ? { backtracking } : {}),
    ...(problem ? { problem } : {}),
  };
}

function linearOf(source: string | undefined, engine: typeof RE2JS): RE2JS | undefined {
  if (source === undefined) return undefined;
  try {
    return engine.compile(source);
  } catch {
    return undefined;
  }
}

const PROGRAM = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ source, flags, text }) => parentPort.postMessage(new RegExp(source, flags).test(text)));
parentPort.postMessage("ready");
`;

/** One thread for all searches of the process, one search at a time. It is made when it is first needed. */
class Thread {
  static #current: Thread | undefined;
  static #last: Promise<unknown> = Promise.resolve();

  /** Undefined: it took too long. */
  static test(pattern: RegExp, text: string, limitMs: number): Promise<boolean | undefined> {
    const result = Thread.#last.then(() => {
      Thread.#current ??= new Thread();
      return Thread.#current.#test(pattern, text, limitMs);
    });
    Thread.#last = result.catch(() => undefined);
    return result;
  }

  readonly #worker = new Worker(PROGRAM, { eval: true, env: {}, execArgv: [] });
  #heard: (answer: unknown) => void = () => {};
  readonly #ready: Promise<unknown>;

  private constructor() {
    this.#ready = this.#answer();
    this.#worker.on("message", (answer) => this.#heard(answer));
    // A search that got no answer took too long: there is nothing else that the thread could fail at.
    this.#worker.on("error", () => {});
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#heard = resolve;
    });
  }

  async #test({ source, flags }: RegExp, text: string, limitMs: number): Promise<boolean | undefined> {
    this.#worker.ref();
    await this.#ready;
    const answer = this.#answer();
    this.#worker.postMessage({ source, flags, text });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), limitMs);
    });
    const isThere = (await Promise.race([answer, late])) as boolean | undefined;
    clearTimeout(timer);
    this.#worker.unref();
    if (isThere !== undefined) return isThere;
    Thread.#current = undefined;
    await this.#worker.terminate();
    return undefined;
  }
}
