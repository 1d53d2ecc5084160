// The protocol's own clients, of its new era and of the old one, connected to the built program over either transport.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client as NewClient, StreamableHTTPClientTransport as NewHttpTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdioTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator as NewValidator } from "@modelcontextprotocol/client/validators/ajv";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";

export const TRANSPORTS = ["stdio", "http"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Before 2026-07-28 and since. */
export const ERAS = ["old", "new"] as const;
export type Era = (typeof ERAS)[number];

const PROGRAM = resolve("dist/main.js");

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** What stands beside the text. */
  readonly rest: readonly object[];
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

/** What the client's user answers to a form. */
export type AnswerForm = (form: { readonly message: string; readonly requestedSchema: object }) => {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
};

export interface ConnectOptions {
  /** Old, when it is left out. */
  readonly era?: Era;
  readonly form?: AnswerForm;
  readonly args?: readonly string[];
  /** Folders that the client says it has open. */
  readonly roots?: readonly string[];
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs are driven inside the server unless a call says otherwise: a process for each costs more than most of them do. */
  readonly isInside?: boolean;
}

/** Those that take `detach`. */
const DRIVING = ["workflow_run", "run_resume", "gate_answer", "dlq_retry"];

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "segno-mcp-"));

export async function connect(transport: TransportName, options: ConnectOptions = {}): Promise<Connected> {
  const folder = options.folder ?? newFolder();
  const home = join(folder, ".home");
  // The code cache is written when a server ends, perhaps after its folder is gone: it has a place of its own.
  const cache = join(tmpdir(), "segno-test-cache");
  const env = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CACHE_HOME: cache, SEGNO_HOME: home, ...options.env };
  const { era = "old" } = options;
  const client = newClient(era, options);
  const args = options.args ?? [];
  const end =
    transport === "stdio"
      ? await overStdio(client, era, { command: process.execPath, args: [PROGRAM, "mcp", ...args], cwd: folder, env })
      : await overHttp(client, era, await startHttp(args, folder, env));
  // Schemas of answers are checked by the client once it has seen the tools.
  await client.listTools();
  const call: Connected["call"] = async (name, asking = {}, more = {}) => {
    const asked = { timeout: 150_000, ...more };
    const given = options.isInside && DRIVING.includes(name) ? { detach: false, ...asking } : asking;
    const result = await (era === "new"
      ? (client as unknown as NewClient).callTool({ name, arguments: given }, asked)
      : client.callTool({ name, arguments: given }, undefined, asked));
    const [first, ...rest] = result.content as { text: string }[];
    return { object: result.structuredContent, text: first?.text ?? "", isError: result.isError === true, rest };
  };
  return {
    client,
    folder,
    home,
    call,
    write: (name, text) => writeFileSync(join(folder, name), text),
    async close() {
      // Runs outlive their server: what a test has left running goes with its folder.
      if (!options.folder) await cancelAll(call);
      await end();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cancelAll(call: Connected["call"]): Promise<void> {
  const { object } = await call("run_list", { status: "running", limit: 100 });
  for (const { run_id } of object.runs) await call("run_cancel", { run_id });
}

/** Compiles each schema once for all clients of this process: anew for each of them it costs more than starting its server. */
function compilingOnce<Validator extends AjvJsonSchemaValidator | NewValidator>(validator: Validator): Validator {
  const known = new Map<string, unknown>();
  const compile = validator.getValidator.bind(validator) as (schema: object) => unknown;
  const getValidator = (schema: object): unknown => {
    const text = JSON.stringify(schema);
    if (!known.has(text)) known.set(text, compile(schema));
    return known.get(text);
  };
  return Object.assign(validator, { getValidator });
}
const VALIDATORS = { old: compilingOnce(new AjvJsonSchemaValidator()), new: compilingOnce(new NewValidator()) };

function newClient(era: Era, { roots, form }: ConnectOptions): Client {
  const about = { name: "test-agent", version: "1" };
  const capabilities = { ...(roots ? { roots: {} } : {}), ...(form ? { elicitation: {} } : {}) };
  const listed = { roots: (roots ?? []).map((root) => ({ uri: pathToFileURL(root).href })) };
  if (era === "new") {
    const client = new NewClient(about, {
      capabilities,
      jsonSchemaValidator: VALIDATORS.new,
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    if (roots) client.setRequestHandler("roots/list", () => listed);
    if (form) client.setRequestHandler("elicitation/create", ({ params }) => form(params as Parameters<AnswerForm>[0]));
    // What tests call is the same in both.
    return client as unknown as Client;
  }
  const client = new Client(about, { capabilities, jsonSchemaValidator: VALIDATORS.old });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => listed);
  if (form) client.setRequestHandler(ElicitRequestSchema, ({ params }) => form(params as Parameters<AnswerForm>[0]));
  return client;
}

interface Command {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

async function overStdio(client: Client, era: Era, command: Command) {
  const Transport = era === "new" ? NewStdioTransport : StdioClientTransport;
  await client.connect(new Transport({ ...command, stderr: "pipe" }) as StdioClientTransport);
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

async function overHttp(client: Client, era: Era, server: HttpServer) {
  // None that is kept: a server closes what is idle, and a test that was busy hears of it too late.
  const headers = { authorization: `Bearer ${server.token}`, connection: "close" };
  const Transport = era === "new" ? NewHttpTransport : StreamableHTTPClientTransport;
  await client.connect(
    new Transport(new URL(server.url), { requestInit: { headers } }) as StreamableHTTPClientTransport,
  );
  return async () => {
    await client.close();
    await server.end();
  };
}
