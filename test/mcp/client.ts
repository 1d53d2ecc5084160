// The SDK's own client, connected to the built program over either transport.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export const TRANSPORTS = ["stdio", "http"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

const PROGRAM = resolve("dist/main.js");

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly object: any;
}

export interface Connected {
  readonly client: Client;
  readonly folder: string;
  readonly home: string;
  call(name: string, given?: Record<string, unknown>, options?: object): Promise<Answer>;
  write(name: string, text: string): void;
  /** Ends the server as its user would, and waits for it. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly args?: readonly string[];
  /** Folders that the client says it has open. */
  readonly roots?: readonly string[];
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "segno-mcp-"));

export async function connect(transport: TransportName, options: ConnectOptions = {}): Promise<Connected> {
  const folder = options.folder ?? newFolder();
  const home = join(folder, ".home");
  // The code cache is written when a server ends, perhaps after its folder is gone: it has a place of its own.
  const cache = join(tmpdir(), "segno-test-cache");
  const env = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CACHE_HOME: cache, SEGNO_HOME: home, ...options.env };
  const { roots } = options;
  const client = new Client({ name: "test-agent", version: "1" }, { capabilities: roots ? { roots: {} } : {} });
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
  const args = options.args ?? [];
  const end =
    transport === "stdio"
      ? await overStdio(client, args, folder, env)
      : await overHttp(client, await startHttp(args, folder, env));
  // Schemas of answers are checked by the client once it has seen the tools.
  await client.listTools();
  return {
    client,
    folder,
    home,
    async call(name, given = {}, more = {}) {
      const result = await client.callTool({ name, arguments: given }, undefined, { timeout: 150_000, ...more });
      const [first] = result.content as { text: string }[];
      return { object: result.structuredContent, text: first?.text ?? "", isError: result.isError === true };
    },
    write: (name, text) => writeFileSync(join(folder, name), text),
    async close() {
      await end();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function overStdio(client: Client, args: readonly string[], cwd: string, env: Record<string, string>) {
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, "mcp", ...args], cwd, env, stderr: "pipe" }),
  );
  return () => client.close();
}

export interface HttpServer {
  readonly url: string;
  readonly token: string;
  end(): Promise<void>;
}

export async function startHttp(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<HttpServer> {
  const child = spawn(process.execPath, [PROGRAM, "mcp", "--http", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = await new Promise<string>((done, fail) => {
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (/Bearer \S+\n/.test(text)) done(text);
    });
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${text}`)));
  });
  return {
    url: /http:\S+/.exec(said)?.[0] ?? "",
    token: /Bearer (\S+)/.exec(said)?.[1] ?? "",
    end: () => ended(child),
  };
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null) return done();
    child.once("exit", () => done());
    child.kill("SIGTERM");
  });

async function overHttp(client: Client, server: HttpServer) {
  // None that is kept: a server closes what is idle, and a test that was busy hears of it too late.
  const headers = { authorization: `Bearer ${server.token}`, connection: "close" };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  return async () => {
    await client.close();
    await server.end();
  };
}
