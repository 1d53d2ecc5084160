// JSON-RPC with an agent's process: a line each way, requests in both directions. What the agent sends is limited in size
// and number; what is no message, or answers nothing that was asked, is dropped.
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { type FailureReason, ProviderFailure } from "../../providers/failure.ts";
import { LineBuffer, MessageTooLarge } from "../../providers/mcp/message-cap.ts";
import type { AgentProcess } from "./agent.ts";

type Params = Readonly<Record<string, unknown>>;

export interface RpcHandlers {
  notified(method: string, params: Params): void;
  /** Undefined: there is no such request here. */
  requested(method: string, params: Params): Promise<unknown>;
}

export class AgentRefusal extends ProviderFailure {
  constructor(
    message: string,
    readonly code: unknown,
    readonly data: unknown,
  ) {
    super("rejected", message);
  }
}

/** Of one task. Rubbish is what programs print that should not. */
const CAPS = { bytes: 512 * 1024 * 1024, messages: 2_000_000, requests: 10_000, rubbish: 10_000 };
const NAMES = { bytes: "bytes", messages: "messages", requests: "requests", rubbish: "lines that are no messages" };

export class AgentRpc {
  /** Rejects when the process ends, or has sent too much. */
  readonly gone: Promise<never>;
  readonly #waiting = new Map<unknown, { resolve(result: Params): void; reject(problem: Error): void }>();
  readonly #counts = { bytes: 0, messages: 0, requests: 0, rubbish: 0 };
  #calls = 0;
  #gone: Error | undefined;

  /** `reason`: what it means that the process has ended. */
  constructor(
    private readonly process: AgentProcess,
    title: string,
    private readonly handlers: RpcHandlers,
    reason: () => FailureReason,
  ) {
    const ended = process.exited.then((how): never => {
      const lines = process.stderrTail().split("\n");
      const said = lines.findLast((line) => !/^\s*warning\b/i.test(line));
      throw new ProviderFailure(reason(), `${title} ended (${how})${said ? `: ${said}` : ""}`);
    });
    this.gone = Promise.race([ended, this.#listen(title)]).catch((failure: Error) => {
      this.#gone = failure;
      for (const { reject } of this.#waiting.values()) reject(failure);
      throw failure;
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

  notify(method: string, params?: Params): void {
    this.#send({ method, ...(params ? { params } : {}) });
  }

  #send(message: Params): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Rejects when the agent has sent too much; how it ended says more than that it has nothing more to say. */
  async #listen(title: string): Promise<never> {
    const lines = new LineBuffer();
    try {
      // What comes behind an answer is heard once the caller has that: its turn may be over.
      for await (const chunk of this.process.stdout as AsyncIterable<Buffer>)
        for (const line of lines.add(chunk))
          if (this.#hear(line, title) === "answer") await new Promise((resolve) => setImmediate(resolve));
    } catch (error) {
      if (error instanceof MessageTooLarge) throw new ProviderFailure("unavailable", `${title}: ${error.message}`);
      if (error instanceof ProviderFailure) throw error;
    }
    return new Promise(() => {});
  }

  #count(what: keyof typeof CAPS, title: string, more = 1): void {
    this.#counts[what] += more;
    if (this.#counts[what] > CAPS[what])
      throw new ProviderFailure(
        "unavailable",
        `${title} does not stop sending: more than ${CAPS[what]} ${NAMES[what]}`,
      );
  }

  #hear(line: string, title: string): "answer" | "other" {
    this.#count("bytes", title, line.length);
    this.#count("messages", title);
    const message = parsed(line);
    if (message && typeof message.method !== "string") {
      this.#answered(message, title);
      return "answer";
    }
    if (message) this.#asked(message, String(message.method), title);
    else this.#count("rubbish", title);
    return "other";
  }

  #asked({ id, params: given }: Params, method: string, title: string): void {
    const params = isMapping(given) ? given : {};
    if (id === undefined) this.handlers.notified(method, params);
    else {
      this.#count("requests", title);
      void this.#answer(id, method, params);
    }
  }

  #answered({ id, result, error }: Params, title: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (isMapping(error))
      waiting?.reject(new AgentRefusal(String(error.message ?? `${title} refused`), error.code, error.data));
    else waiting?.resolve(isMapping(result) ? result : {});
  }

  async #answer(id: unknown, method: string, params: Params): Promise<void> {
    try {
      const result = await this.handlers.requested(method, params);
      this.#send(result === undefined ? { id, error: { code: -32601, message: `no ${method} here` } } : { id, result });
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      this.#send({ id, error: { code: -32000, message } });
    }
  }
}

function parsed(line: string): Params | undefined {
  try {
    const value = parseJson(line, false);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
