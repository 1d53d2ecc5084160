// One MCP server: started when first needed, started again when it died, closed with the run.
import { resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Raised } from "../../errors/index.ts";
import { protocolError, readThrown, type Thrown } from "./failures.ts";
import { cappedFetch, type MessageTooLarge } from "./message-cap.ts";
import { type ServerConfig, serverEnvironment } from "./servers.ts";
import type { ServerProcesses, StdioTransport } from "./stdio.ts";

/** Long enough for `npx` to fetch a package. */
const START_TIMEOUT_MS = 90_000;

export interface ServerPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where servers work that do not say where. */
  readonly cwd: string;
  /** What their `working_dir` is relative to; `cwd` when left out. */
  readonly dir?: string;
  readonly processes: ServerProcesses;
}

export type Connected = { readonly ok: true; readonly client: Client } | { readonly ok: false; readonly error: Raised };

interface Open {
  readonly client: Client;
  readonly transport: Transport;
}

export class McpConnection {
  #opening: Promise<Open> | undefined;
  #current: Transport | undefined;
  #stdio: StdioTransport | undefined;
  #tooLarge: MessageTooLarge | undefined;
  #closed = false;

  constructor(
    readonly name: string,
    readonly config: ServerConfig,
    private readonly place: ServerPlace,
  ) {}

  /** Starts the server if need be. An abort ends the waiting, not the start: others may wait for the same server. */
  async connect(signal?: AbortSignal): Promise<Connected> {
    if (this.#closed) return { ok: false, error: protocolError(this.name, null, "closed", "the run has ended") };
    this.#opening ??= this.#open();
    const opening = this.#opening;
    try {
      return { ok: true, client: (await unlessAborted(opening, signal)).client };
    } catch (error) {
      if (signal?.aborted)
        return { ok: false, error: protocolError(this.name, null, "aborted", "the step was stopped while it started") };
      // The next call may try again.
      if (this.#opening === opening) this.#opening = undefined;
      const { code, why } = this.thrown(error);
      return {
        ok: false,
        error: protocolError(this.name, null, code, `it could not be started: ${this.explain(why)}`),
      };
    }
  }

  /** What a call failed with: that the server had to be cut off, and not that it is gone since. */
  thrown(error: unknown): Thrown {
    return readThrown(this.#tooLarge ?? error);
  }

  /** A reason, with what the server itself said last. */
  explain(why: string): string {
    const tail = this.#stdio?.stderrTail;
    return tail ? `${why}. It wrote: ${tail.slice(-1000)}` : why;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opening = this.#opening;
    // First the transport: a server that is still starting would be waited for otherwise.
    await this.#current?.close().catch(() => {});
    const open = await opening?.catch(() => undefined);
    await open?.client.close().catch(() => {});
  }

  async #open(): Promise<Open> {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client({ name: "segno", version: "1" });
    const transport = await this.#transport();
    this.#current = transport;
    client.onclose = () => {
      this.#opening = undefined;
    };
    try {
      await client.connect(transport, { timeout: this.config.timeoutMs ?? START_TIMEOUT_MS });
      return { client, transport };
    } catch (error) {
      await transport.close().catch(() => {});
      throw error;
    }
  }

  async #transport(): Promise<Transport> {
    const { config } = this;
    this.#tooLarge = undefined;
    const exceeded = (problem: MessageTooLarge): void => {
      this.#tooLarge = problem;
      // Closing it fails the requests that wait for an answer.
      if (config.type !== "stdio") void this.#current?.close().catch(() => {});
    };
    if (config.type === "stdio") {
      const { StdioTransport } = await import("./stdio.ts");
      const { cwd: here, dir = here, processes } = this.place;
      const cwd = config.workingDir ? resolve(dir, config.workingDir) : here;
      const env = serverEnvironment(this.place.env, config.env);
      this.#stdio = new StdioTransport({ command: config.command, args: config.args, env, cwd }, processes, exceeded);
      return this.#stdio;
    }
    const options = { requestInit: { headers: { ...config.headers } }, fetch: cappedFetch(exceeded) };
    const url = new URL(config.url);
    if (config.type === "sse") {
      const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
      return new SSEClientTransport(url, options);
    }
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return new StreamableHTTPClientTransport(url, options);
  }
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
