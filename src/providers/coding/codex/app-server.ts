// JSON-RPC with `codex app-server`: a line each way, requests in both directions.
import { createInterface } from "node:readline";
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import { ProviderFailure } from "../../failure.ts";
import type { AgentProcess } from "../processes.ts";

type Params = Readonly<Record<string, unknown>>;

export interface ServerHandlers {
  notified(method: string, params: Params): void;
  /** Undefined: there is no such request here. */
  requested(method: string, params: Params): Promise<unknown>;
}

interface Waiting {
  resolve(result: Params): void;
  reject(problem: Error): void;
}

export class AppServer {
  readonly #process: AgentProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #gone: ProviderFailure | undefined;
  /** Rejects when the process ends. */
  readonly gone: Promise<never>;

  constructor(process: AgentProcess, handlers: ServerHandlers) {
    this.#process = process;
    createInterface({ input: process.stdout }).on("line", (line) => this.#heard(line, handlers));
    this.gone = process.exited.then((how) => {
      const said = process
        .stderrTail()
        .split("\n")
        .findLast((line) => !/^\s*warning\b/i.test(line));
      this.#gone = new ProviderFailure("transient", `codex ended (${how})${said ? `: ${said}` : ""}`);
      for (const { reject } of this.#waiting.values()) reject(this.#gone);
      throw this.#gone;
    });
    this.gone.catch(() => {});
  }

  call(method: string, params: Params): Promise<Params> {
    if (this.#gone) return Promise.reject(this.#gone);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string): void {
    this.#send({ method });
  }

  #send(message: Params): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #heard(line: string, handlers: ServerHandlers): void {
    const message = parsed(line);
    if (!message) return;
    const { id, method, result, error } = message;
    const params = isMapping(message.params) ? message.params : {};
    if (typeof method === "string") {
      if (id === undefined) handlers.notified(method, params);
      else void this.#answer(id, method, params, handlers);
      return;
    }
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    this.#waiting.delete(id as number);
    if (isMapping(error)) waiting.reject(new ProviderFailure("rejected", String(error.message ?? "codex refused")));
    else waiting.resolve(isMapping(result) ? result : {});
  }

  async #answer(id: unknown, method: string, params: Params, { requested }: ServerHandlers): Promise<void> {
    try {
      const result = await requested(method, params);
      this.#send(result === undefined ? { id, error: { code: -32601, message: `no ${method} here` } } : { id, result });
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      this.#send({ id, error: { code: -32000, message } });
    }
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(line);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
