// For tests: a real server on a loopback port over a real store, and a client. Every answer is checked against the
// contract, and against /api/openapi.json, which is made from it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { ADDRESSES, type Address } from "../../src/frontends/server/contract/addresses.ts";
import { problemJson, type SessionJson } from "../../src/frontends/server/contract/values.ts";
import { type ListenOptions, listen } from "../../src/frontends/server/listen.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import type { Session } from "../../src/services/session/session.ts";
import { notAsDescribed } from "./described.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it asked for.
  readonly body: any;
}

let keys = 0;

export class Served {
  readonly url: string;
  bearer = "";

  private constructor(
    readonly folder: string,
    readonly root: string,
    readonly home: string,
    readonly listening: Awaited<ReturnType<typeof listen>>,
    readonly defects: unknown[],
  ) {
    this.url = `http://127.0.0.1:${listening.port}`;
  }

  /** `files` are workflow files below the root. */
  static async start(
    files: Readonly<Record<string, string>>,
    options: Partial<ListenOptions> = {},
    inProject: (root: string) => Partial<Session> & Pick<ListenOptions, "drives" | "preview"> = () => ({}),
  ): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), "segno-server-"));
    const [root, home] = [join(folder, "root"), join(folder, "home")];
    mkdirSync(root);
    for (const [name, text] of Object.entries(files)) {
      const file = join(root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const defects: unknown[] = [];
    const env = { PATH: process.env.PATH, HOME: home };
    const { drives, preview, ...more } = inProject(root);
    const session = { cwd: root, env, home, ...more };
    const listening = await listen({
      session,
      root,
      port: 0,
      host: "127.0.0.1",
      readOnly: false,
      ...(drives ? { drives } : {}),
      ...(preview === undefined ? {} : { preview }),
      defect: (problem) => defects.push(problem),
      ...options,
    });
    const served = new Served(folder, root, home, listening, defects);
    served.bearer = (await served.open()).session;
    return served;
  }

  get token(): string {
    return this.listening.url.split("#token=")[1] ?? "";
  }

  get session() {
    return { cwd: this.root, env: { PATH: process.env.PATH, HOME: this.home }, home: this.home };
  }

  async open(): Promise<SessionJson> {
    const { status, body } = await this.post("/api/session", { token: this.token });
    expect(status).toBe(200);
    return body;
  }

  /** Writes a file below the root, as a user with an editor does. */
  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  /** Runs a file as the command line does, in this process, and gives the run's id. */
  async run(file: string, inputs: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const given = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }]));
    const result = await runWorkflow(this.session, { file, inputs: given });
    if (result.run_id === null) throw new Error(result.error ?? "nothing was run");
    return result.run_id;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.ask("GET", path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.ask("POST", path, { body: JSON.stringify(body), headers });
  }

  async ask(
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const response = await this.fetch(path, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", origin: this.url, "idempotency-key": `key-${++keys}` }),
        ...headers,
      },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const reply = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    if (isJson) holdAgainstContract(method, path, reply);
    return reply;
  }

  /** On a connection of its own: one that is kept is closed after a while, and a busy process hears of it too late. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      connection: "close",
      ...(this.bearer ? { authorization: `Bearer ${this.bearer}` } : {}),
      ...init.headers,
    };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async close(): Promise<void> {
    await this.listening.close();
    rmSync(this.folder, { recursive: true, force: true });
    expect(this.defects).toEqual([]);
  }
}

/** The one address that answers with a value made elsewhere, and so has no schema in the contract. */
const BLOB: Address = { method: "GET", path: "/api/blobs/{hash}", about: "a long value", answer: z.unknown() };

const patterns = [...Object.values<Address>(ADDRESSES), BLOB].map((address) => ({
  address,
  pattern: new RegExp(`^${address.path.replace(/\{\w+\+\}/g, ".+").replace(/\{\w+\}/g, "[^/]+")}$`),
}));

/** Nothing is missing, and nothing is there that the contract does not name. */
function holdAgainstContract(method: string, path: string, { status, body }: Reply): void {
  const bare = path.split("?")[0] ?? path;
  if (!bare.startsWith("/api/") || bare === "/api/openapi.json") return;
  const literal = patterns.find(({ address }) => address.method === method && address.path === bare);
  const found = literal ?? patterns.find(({ address, pattern }) => address.method === method && pattern.test(bare));
  const schema = status === 200 ? found?.address.answer : problemJson;
  if (!schema) throw new Error(`${method} ${path} is in no contract`);
  const parsed = schema.safeParse(body);
  if (!parsed.success)
    throw new Error(`${method} ${path}: ${parsed.error.message}\n${JSON.stringify(body).slice(0, 2000)}`);
  expect(parsed.data).toEqual(body);
  if (!found) return;
  const differs = notAsDescribed(method, found.address.path.replaceAll("+}", "}"), status, body);
  if (differs) throw new Error(`${method} ${path} (${status}) is not what openapi.json says:\n${differs.join("\n")}`);
}
