// MCP servers as real processes and real HTTP: the protocol's own test server, and small servers with faults.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { testAttempt } from "../../../../test/support/model-calls.ts";
import { until } from "../../../../test/support/until.ts";
import { createMcpPool, type McpPool } from "../../../providers/mcp/pool.ts";
import { serverProcesses } from "../../../steps/process/start-process.ts";
import type { McpResult } from "../../../steps/world.ts";

const EVERYTHING = join(process.cwd(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const everything = { command: process.execPath, args: [EVERYTHING, "stdio"] };

const ENV = { PATH: process.env.PATH, SECRET_KEY: "not for servers" };

let dir: string;
const pools: McpPool[] = [];

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "segno-mcp-"));
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function poolOf(servers: Record<string, unknown>): McpPool {
  const pool = createMcpPool(servers, ENV, { cwd: dir, processes: serverProcesses });
  pools.push(pool);
  return pool;
}

const call = (
  pool: McpPool,
  server: string,
  tool: string,
  given: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<McpResult> =>
  pool.callTool({ server, tool, arguments: given }, testAttempt(signal ? { signal } : {}).attempt);

/** A server written in a few lines: `reply(message)` returns the result, or undefined to stay silent. */
function serverOf(
  name: string,
  reply: string,
  list = "send({ id, result: { tools } });",
): { command: string; args: string[] } {
  const file = join(dir, `${name}.mjs`);
  writeFileSync(
    file,
    `import { createInterface } from "node:readline";
    import { writeFileSync } from "node:fs";
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const tools = [{ name: "go", description: "Goes", inputSchema: { type: "object" } }];
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
      if (method === "tools/list") { ${list}; return; }
      if (method === "tools/call") { ${reply} }
    });`,
  );
  return { command: process.execPath, args: [file] };
}

/** Whether a process still runs: one that has ended may wait, as a zombie, for a parent that does not collect it. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

describe("the protocol's own test server over stdio", () => {
  // One for all tests that neither close it nor start it in a way of their own: it takes a second of processor time.
  let shared: McpPool;
  beforeAll(() => {
    shared = createMcpPool({ all: everything }, ENV, { cwd: dir, processes: serverProcesses });
  });
  afterAll(() => shared.close());

  test("lists tools, calls them, and keeps what it prints to itself", async () => {
    const printed: string[] = [];
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation((chunk) => {
        printed.push(String(chunk));
        return true;
      }),
    );
    const pool = poolOf({ all: everything });
    const listed = await pool.listTools();
    const echoed = await call(pool, "all", "echo", { message: "hello" });
    await pool.close();
    for (const spy of spies) spy.mockRestore();

    expect(listed.ok && listed.tools.map((tool) => tool.name)).toContain("echo");
    expect(echoed).toMatchObject({ ok: true, content: [{ type: "text", text: "Echo: hello" }] });
    expect(printed).toEqual([]);
  });

  test("gives structured content beside the content", async () => {
    const result = await call(shared, "all", "get-structured-content", { location: "New York" });
    expect(result).toMatchObject({ ok: true, structured: { temperature: expect.any(Number) } });
  });

  test("takes an answer with isError for an error of the tool", async () => {
    const result = await call(shared, "all", "echo", { wrong: 1 });
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "mcp.tool_error", details: { server: "all", tool: "echo" } },
    });
  });

  test("says which tools there are when one is called that is not", async () => {
    const result = await call(shared, "all", "ecco", {});
    expect(result).toMatchObject({
      ok: false,
      error: {
        kind: "mcp.tool_error",
        message: expect.stringMatching(/Its tools: .*echo/),
        details: { tools: expect.arrayContaining(["echo"]) },
      },
    });
  });

  test("does not hand our environment to the server", async () => {
    const result = await call(poolOf({ all: { ...everything, env: { GIVEN: "yes" } } }), "all", "get-env");
    const text = JSON.stringify(result.ok && result.content);
    expect(text).toContain("GIVEN");
    expect(text).not.toContain("not for servers");
  });
});

describe.each(["http", "sse"] as const)("the protocol's own test server over %s", (type) => {
  let server: ChildProcess;
  let port: number;

  beforeAll(async () => {
    port = await new Promise<number>((done) => {
      const probe = createServer().listen(0, "127.0.0.1", () => {
        const address = probe.address();
        probe.close(() => done(typeof address === "object" && address ? address.port : 0));
      });
    });
    const mode = type === "sse" ? "sse" : "streamableHttp";
    server = spawn(process.execPath, [EVERYTHING, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await new Promise<void>((done) => {
      server.stderr?.on("data", (text) => /running|listening/i.test(String(text)) && done());
      server.stdout?.on("data", (text) => /running|listening/i.test(String(text)) && done());
    });
  });
  afterAll(() => {
    server.kill("SIGKILL");
  });

  test("calls tools", async () => {
    const pool = poolOf({
      all: { type, url: `http://127.0.0.1:${port}/${type === "sse" ? "sse" : "mcp"}`, headers: { "x-team": "a" } },
    });
    expect(await call(pool, "all", "echo", { message: "over the wire" })).toMatchObject({
      ok: true,
      content: [{ text: "Echo: over the wire" }],
    });
  });
});

describe("a server that fails", () => {
  test("names a command that does not exist", async () => {
    const result = await call(poolOf({ gone: { command: "no-such-command-here" } }), "gone", "go");
    expect(result).toMatchObject({
      ok: false,
      error: { kind: "mcp.protocol_error", details: { server: "gone", code: "ENOENT" } },
    });
  });

  test("says what the server wrote before it died", async () => {
    const command = {
      command: process.execPath,
      args: ["-e", "console.error('the config is missing'); process.exit(1)"],
    };
    const result = await call(poolOf({ dying: command }), "dying", "go");
    expect(result.ok).toBe(false);
    expect(!result.ok && result.error.message).toContain("the config is missing");
  });

  test("is a protocol error when it dies during a call, and is started again for the next", async () => {
    const marker = join(dir, "died-once");
    const pool = poolOf({
      fragile: serverOf(
        "fragile",
        `
        import("node:fs").then(({ existsSync }) => {
          if (existsSync(${JSON.stringify(marker)})) return send({ id, result: { content: [{ type: "text", text: "back" }] } });
          writeFileSync(${JSON.stringify(marker)}, "");
          process.exit(1);
        });`,
      ),
    });
    expect(await call(pool, "fragile", "go")).toMatchObject({
      ok: false,
      error: { kind: "mcp.protocol_error", details: { code: -32000 } },
    });
    expect(await call(pool, "fragile", "go")).toMatchObject({ ok: true, content: [{ text: "back" }] });
  });

  test("passes a JSON-RPC error on with its code", async () => {
    const pool = poolOf({
      strict: serverOf(
        "strict",
        `send({ id, error: { code: -32602, message: "no such argument", data: { argument: "x" } } });`,
      ),
    });
    const result = await call(pool, "strict", "go");
    expect(result).toMatchObject({
      ok: false,
      error: {
        kind: "mcp.tool_error",
        message: "MCP server strict refused the call of go: no such argument",
        details: {
          server: "strict",
          tool: "go",
          code: -32602,
          server_message: "no such argument",
          data: { argument: "x" },
          tools: ["go"],
        },
      },
    });
  });

  test("is given up on after its timeout", async () => {
    const pool = poolOf({ mute: { ...serverOf("mute", ""), timeout: 1000 } });
    const result = await call(pool, "mute", "go");
    expect(result).toMatchObject({ ok: false, error: { kind: "mcp.protocol_error", details: { code: -32001 } } });
  });

  test.each([
    ["leads back to itself", `send({ id, result: { tools, nextCursor: "again" } })`, "endless_list"],
    ["has a next page for ever", `send({ id, result: { tools, nextCursor: String(id) } })`, "endless_list"],
    ["never comes", "", -32001],
    [
      "comes a page at a time, each later",
      `setTimeout(() => send({ id, result: { tools, nextCursor: String(id) } }), 400)`,
      -32001,
    ],
  ])("is given up on when its list of tools %s, without a timeout of the step", async (what, list, code) => {
    const server = serverOf(`list-${what.replaceAll(/\W/g, "-")}`, "", list);
    // Only those that are given up on by the clock end at this time.
    const timeout = code === "endless_list" ? 120_000 : 1000;
    const listed = await poolOf({ endless: { ...server, timeout } }).listTools();
    expect(listed).toMatchObject({ ok: false, error: { kind: "mcp.protocol_error", details: { code } } });
  });

  test("stops when the step is aborted", async () => {
    const controller = new AbortController();
    const asked = join(dir, "asked");
    const pool = poolOf({ mute: serverOf("mute-too", `writeFileSync(${JSON.stringify(asked)}, "");`) });
    const result = call(pool, "mute", "go", {}, controller.signal);
    await until(() => existsSync(asked));
    controller.abort();
    expect((await result).ok).toBe(false);
  });

  test("is not waited for when the step is aborted, or the run ends, while it starts", async () => {
    const begun = join(dir, "begun");
    const sleeper = `require("node:fs").writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1000)`;
    const pool = poolOf({ asleep: { command: process.execPath, args: ["-e", sleeper] } });
    const controller = new AbortController();
    const result = call(pool, "asleep", "go", {}, controller.signal);
    await until(() => existsSync(begun));
    controller.abort();
    expect(await result).toMatchObject({ ok: false, error: { details: { code: "aborted" } } });
    await pool.close();
    expect((await call(pool, "asleep", "go")).ok).toBe(false);
  });

  test("cannot be reached over HTTP", async () => {
    const result = await call(poolOf({ far: { type: "http", url: "http://127.0.0.1:9/mcp" } }), "far", "go");
    expect(result).toMatchObject({ ok: false, error: { kind: "mcp.protocol_error" } });
  });

  test.each([
    [
      "an answer of many megabytes",
      `send({ id, result: { content: [{ type: "text", text: "x".repeat(20 * 1024 * 1024) }] } });`,
    ],
    [
      "a line without end",
      `const more = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", more); }; more();`,
    ],
  ])("is cut off when it sends %s, and is started again for the next call", async (_, reply) => {
    const marker = join(dir, "cut-off");
    rmSync(marker, { force: true });
    const first = `import("node:fs").then(({ existsSync, writeFileSync }) => { if (existsSync("${marker}")) return send({ id, result: { content: [] } }); writeFileSync("${marker}", ""); ${reply} });`;
    const pool = poolOf({ loud: serverOf("loud", first) });
    expect(await call(pool, "loud", "go")).toMatchObject({
      ok: false,
      error: {
        kind: "mcp.protocol_error",
        message: expect.stringContaining("larger than 16 MiB"),
        details: { code: "too_large" },
      },
    });
    expect(await call(pool, "loud", "go")).toMatchObject({ ok: true });
  });

  test.each(["application/json", "text/event-stream"])(
    "is cut off when its %s does not end over HTTP",
    async (type) => {
      const server = createHttpServer((request, response) => {
        let text = "";
        request.on("data", (chunk) => {
          text += String(chunk);
        });
        request.on("end", () => {
          const { id, method, params } = (text === "" ? {} : JSON.parse(text)) as {
            id?: number;
            method?: string;
            params?: unknown;
          };
          if (request.method !== "POST" || id === undefined)
            return response.writeHead(request.method === "POST" ? 202 : 405).end();
          if (method === "initialize") {
            const { protocolVersion } = params as { protocolVersion: string };
            const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };
            return response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
          }
          response.writeHead(200, { "content-type": type });
          const more = (): void => {
            while (!response.destroyed && response.write("x".repeat(65_536)));
          };
          response.on("drain", more);
          more();
        });
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const result = await call(poolOf({ far: { type: "http", url: `http://127.0.0.1:${port}/mcp` } }), "far", "go");
      expect(result).toMatchObject({
        ok: false,
        error: { kind: "mcp.protocol_error", details: { code: "too_large" } },
      });
    },
  );

  test("is not in the file", async () => {
    const result = await call(poolOf({ here: everything }), "there", "go");
    expect(!result.ok && result.error.message).toContain("it has: here");
  });
});

test("only the tools that the file lists are allowed", async () => {
  const list = `send({ id, result: { tools: [...tools, { ...tools[0], name: "stay" }] } })`;
  const pool = poolOf({
    all: { ...serverOf("two-tools", "send({ id, result: { content: [] } });", list), tools: ["go"] },
  });
  const listed = await pool.listTools();
  expect(listed.ok && listed.tools.map((tool) => tool.name)).toEqual(["go"]);
  expect(await call(pool, "all", "stay")).toMatchObject({
    ok: false,
    error: { kind: "mcp.protocol_error", details: { code: "not_allowed" } },
  });
});

test("a server is started once for calls at the same time", async () => {
  const reply = "send({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });";
  const pool = poolOf({ all: serverOf("told-apart", reply) });
  const results = await Promise.all([1, 2, 3].map(() => call(pool, "all", "go")));
  expect(results).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect(new Set(results.map((result) => JSON.stringify(result.ok && result.content))).size).toBe(1);
});

test("closing ends the server and what it started, also behind a shell", async () => {
  const pids = join(dir, "pids");
  const inner = serverOf(
    "stubborn",
    `
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    writeFileSync(${JSON.stringify(pids)}, String(process.pid));
    send({ id, result: { content: [] } });`,
  );
  const pool = poolOf({ stubborn: { command: "sh", args: ["-c", `'${inner.command}' '${inner.args[0]}'; true`] } });
  expect((await call(pool, "stubborn", "go")).ok).toBe(true);
  const pid = Number(readFileSync(pids, "utf8"));
  expect(isAlive(pid)).toBe(true);
  await pool.close();
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
});
