// One MCP server: started when first needed, started again when it died, closed with the run.
import { resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { type NamedSecret, secretNames } from "../../steps/schema/readings.ts";
import { protocolError, readThrown, type Thrown } from "./failures.ts";
import { cappedFetch, type MessageTooLarge } from "./message-cap.ts";
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

export class McpConnection {
  #opening: Promise<Client> | undefined;
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
      return { ok: true, client: await unlessAborted(opening, signal) };
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
    const client = await opening?.catch(() => undefined);
    await client?.close().catch(() => {});
  }

  async #open(): Promise<Client> {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client({ name: "segno", version: "1" });
    const transport = await this.#transport();
    this.#current = transport;
    client.onclose = () => {
      this.#opening = undefined;
    };
    try {
      await client.connect(transport, { timeout: this.config.timeoutMs ?? START_TIMEOUT_MS });
      return client;
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
      const env = { ...serverEnvironment(this.place.env, config.env), ...secretsIn(this.place.env, config.secrets) };
      this.#stdio = new StdioTransport({ command: config.command, args: config.args, env, cwd }, processes, exceeded);
      return this.#stdio;
    }
    const options = {
      requestInit: { headers: { ...config.headers, ...secretsIn(this.place.env, config.secrets) } },
      fetch: cappedFetch(exceeded),
    };
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

type ServerConfig =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly workingDir?: string;
      readonly secrets: Readonly<Record<string, string>>;
      readonly timeoutMs?: number;
      readonly tools: readonly string[];
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** From the variable or header to the variable that holds the secret. */
      readonly secrets: Readonly<Record<string, string>>;
      readonly timeoutMs?: number;
      readonly tools: readonly string[];
    };

const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

const texts = (value: unknown): Readonly<Record<string, string>> =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)])) : {};

/** The configuration of one server, or what is wrong with it. The loader has checked files; the library's users may not have. */
export function readServer(value: unknown): ServerConfig | string {
  if (!isMapping(value)) return "it must be a mapping";
  const timeoutMs = typeof value.timeout === "number" && value.timeout > 0 ? value.timeout : undefined;
  const tools = strings(value.tools) ?? ["*"];
  const listed = Array.isArray(value.secrets) ? (value.secrets as readonly NamedSecret[]) : [];
  const type = value.type ?? (value.url === undefined ? "stdio" : "http");
  if (type === "http" || type === "sse") {
    if (typeof value.url !== "string" || !URL.canParse(value.url)) return `a server of type ${type} needs a url`;
    const secrets = secretNames(listed, "header");
    return { type, url: value.url, headers: texts(value.headers), secrets, timeoutMs, tools };
  }
  if (type !== "stdio") return `its type is ${JSON.stringify(type)}, but it must be stdio, http or sse`;
  if (typeof value.command !== "string" || value.command === "") return "a server of type stdio needs a command";
  const workingDir = typeof value.working_dir === "string" ? value.working_dir : undefined;
  const { command } = value;
  const secrets = secretNames(listed, "env");
  return {
    type,
    command,
    args: strings(value.args) ?? [],
    env: texts(value.env),
    secrets,
    workingDir,
    timeoutMs,
    tools,
  };
}

export const allows = (server: ServerConfig, tool: string): boolean =>
  server.tools.includes("*") || server.tools.includes(tool);

/** Whether a word of an agent's `tools` names this server, or a tool of it. */
export const isNamedBy = (word: string, server: string): boolean => word === server || word.startsWith(`${server}__`);

/** What a server inherits. Not everything: keys in our environment are none of its business. */
const INHERITED =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|(?:HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|XDG_[A-Z_]+|APPDATA|LOCALAPPDATA|SYSTEMROOT|USERPROFILE|PROGRAMFILES)$/i;

const secretsIn = (
  env: Readonly<Record<string, string | undefined>>,
  names: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, ref]): [string, string][] => {
      const value = env[ref];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && INHERITED.test(pair[0]),
  );
  return { ...Object.fromEntries(inherited), ...own };
}
