// The MCP servers of one run: one connection each, shared by agents and `mcp` steps, closed when the run ends.
import type { Raised } from "../../base/errors/index.ts";
import { isMapping, keptIn } from "../../base/errors/mapping.ts";
import { isTooDeep, NestedTooDeeply } from "../../base/json/bounded.ts";
import type { Caller } from "../../steps/caller.ts";
import { whenOurs } from "../../steps/when-ours.ts";
import type { McpAnswer, McpRequest, McpResult } from "../../steps/world.ts";
import { allows, isNamedBy, McpConnection, readServer, type ServerPlace } from "./connection.ts";
import {
  contentText,
  type FailureCode,
  isRefusedCall,
  mayBeNoTool,
  protocolError,
  refusedCall,
  toolError,
} from "./failures.ts";
import { hasText, readTexts } from "./read-texts.ts";

/** A step's own `timeout` ends it sooner; progress that a tool reports starts it anew. */
const CALL_TIMEOUT_MS = 300_000;
const LIST_TIMEOUT_MS = 60_000;
const MOST_PAGES = 100;
const MOST_TOOLS = 5_000;

export interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type Listed =
  | { readonly ok: true; readonly tools: readonly McpTool[] }
  | { readonly ok: false; readonly error: Raised };

export interface McpPool {
  callTool(request: McpRequest, attempt: Pick<Caller, "signal" | "assertLease">): Promise<McpResult>;
  /** The tools that the file allows, of the servers that an agent's `tools` may mean; of all of them without it. */
  listTools(signal?: AbortSignal, wanted?: readonly string[] | null): Promise<Listed>;
  close(): Promise<void>;
}

/** Makes the pool of a run; nothing is started yet. */
export function createMcpPool(
  servers: Readonly<Record<string, unknown>> | undefined,
  env: Readonly<Record<string, string | undefined>>,
  place: Omit<ServerPlace, "env">,
): McpPool {
  const connections = new Map<string, McpConnection>();
  const broken = new Map<string, string>();
  for (const [name, value] of Object.entries(servers ?? {})) {
    const config = readServer(value);
    if (typeof config === "string") broken.set(name, config);
    else connections.set(name, new McpConnection(name, config, { env, ...place }));
  }

  const missing = (server: string): Raised => {
    const known = [...connections.keys()].join(", ") || "none";
    const why = broken.get(server) ?? `runtime.mcp_servers has no such server (it has: ${known})`;
    return protocolError(server, null, "not_configured", why);
  };

  async function callTool(request: McpRequest, attempt: Pick<Caller, "signal" | "assertLease">): Promise<McpResult> {
    const { signal } = attempt;
    const { server, tool } = request;
    const connection = connections.get(server);
    if (!connection) return { ok: false, error: missing(server) };
    if (!allows(connection.config, tool)) {
      const why = `tools of mcp_servers.${server} does not allow it. Add ${tool} there, or "*"`;
      return { ok: false, error: protocolError(server, tool, "not_allowed", why) };
    }
    const connected = await whenOurs(attempt, () => connection.connect(signal));
    if (!connected.ok) return connected;
    try {
      const timeout = connection.config.timeoutMs ?? CALL_TIMEOUT_MS;
      const options = { signal, timeout, resetTimeoutOnProgress: true, onprogress: () => {} };
      const called = { name: tool, arguments: await argumentsFor(request, connection, connected.client) };
      const result = await whenOurs(attempt, () => connected.client.callTool(called, undefined, options));
      if (isTooDeep(result))
        return { ok: false, error: protocolError(server, tool, "nested_too_deeply", new NestedTooDeeply().message) };
      const content = result.content ?? [];
      if (result.isError) {
        const said = contentText(content);
        const names = mayBeNoTool(said) ? await namesOf(connection, signal) : undefined;
        const error = toolError(server, tool, content, said, names);
        // A tool that is not there has not answered.
        return names?.includes(tool) === false ? { ok: false, error } : { ok: false, error, answer: answerOf(result) };
      }
      return { ok: true, ...answerOf(result) };
    } catch (error) {
      const thrown = connection.thrown(error);
      if (isRefusedCall(thrown)) {
        return { ok: false, error: refusedCall(server, tool, thrown, await namesOf(connection, signal)) };
      }
      return { ok: false, error: protocolError(server, tool, thrown.code, connection.explain(thrown.why), thrown) };
    }
  }

  const schemas = new WeakMap<object, Promise<Listed>>();

  /** Lists the tools of a server once for each time that it is started. */
  async function argumentsFor(
    { tool, arguments: given, readsTexts }: McpRequest,
    connection: McpConnection,
    client: object,
  ): Promise<Record<string, unknown>> {
    if (!readsTexts || !hasText(given)) return { ...given };
    const listed = await keptIn(schemas, client, () => toolsOf(connection));
    const schema = listed.ok ? listed.tools.find(({ name }) => name === tool)?.inputSchema : undefined;
    return schema ? (readTexts(schema, given) as Record<string, unknown>) : { ...given };
  }

  async function namesOf(connection: McpConnection, signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const listed = await toolsOf(connection, signal);
    return listed.ok ? listed.tools.map(({ name }) => name) : undefined;
  }

  async function toolsOf(connection: McpConnection, signal?: AbortSignal): Promise<Listed> {
    const connected = await connection.connect(signal);
    if (!connected.ok) return connected;
    const tools: McpTool[] = [];
    const notListed = (code: FailureCode, why: string): Listed => ({
      ok: false,
      error: protocolError(connection.name, null, code, why),
    });
    const endsAt = performance.now() + (connection.config.timeoutMs ?? LIST_TIMEOUT_MS);
    try {
      let cursor: string | undefined;
      const seen = new Set<string>();
      do {
        const timeout = Math.max(1, endsAt - performance.now());
        const page = await connected.client.listTools(cursor ? { cursor } : {}, { signal, timeout });
        for (const { name, description = "", inputSchema } of page.tools)
          if (allows(connection.config, name)) tools.push({ server: connection.name, name, description, inputSchema });
        cursor = page.nextCursor;
        // A list that leads back to itself, or never ends, would hold up its agent for ever.
        if (cursor && (seen.has(cursor) || seen.size >= MOST_PAGES || tools.length > MOST_TOOLS))
          return notListed(
            "endless_list",
            `its list of tools does not end: ${tools.length} tools on ${seen.size + 1} pages so far`,
          );
        if (cursor) seen.add(cursor);
      } while (cursor);
      return { ok: true, tools };
    } catch (error) {
      const { code, why } = connection.thrown(error);
      return notListed(code, `its tools could not be listed: ${connection.explain(why)}`);
    }
  }

  async function listTools(signal?: AbortSignal, wanted: readonly string[] | null = null): Promise<Listed> {
    const meant = serversMeant(wanted, [...broken.keys(), ...connections.keys()]);
    const wrong = [...broken.keys()].find((name) => meant.has(name));
    if (wrong !== undefined) return { ok: false, error: missing(wrong) };
    const asked = [...connections.values()].filter(({ name }) => meant.has(name));
    return joined(await Promise.all(asked.map((connection) => toolsOf(connection, signal))));
  }

  const close = async (): Promise<void> => {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  };

  return { callTool, listTools, close };
}

function answerOf({ content = [], structuredContent }: Readonly<Record<string, unknown>>): McpAnswer {
  const structured = isMapping(structuredContent) ? structuredContent : undefined;
  return structured ? { structured, content } : { content };
}

/** A server that does not come up must fail only the agents that use it. A bare tool name may be any server's. */
function serversMeant(wanted: readonly string[] | null, servers: readonly string[]): ReadonlySet<string> {
  const named = wanted?.map((one) => servers.filter((server) => isNamedBy(one, server)));
  return new Set(named?.every((found) => found.length > 0) ? named.flat() : servers);
}

interface JoinedPool {
  /** The names of its servers; no two pools have one in common. */
  readonly servers: readonly string[];
  readonly pool: McpPool;
}

/** Several pools as one, an agent's own and its file's. The last one answers for servers that none has. */
export function joinPools(pools: readonly [JoinedPool, ...JoinedPool[]]): McpPool {
  const poolOf = (server: string): McpPool =>
    (pools.find(({ servers }) => servers.includes(server)) ?? pools[pools.length - 1] ?? pools[0]).pool;
  return {
    callTool: (request, attempt) => poolOf(request.server).callTool(request, attempt),
    async listTools(signal, wanted = null) {
      const lists = await Promise.all(
        pools.map(async (one) => {
          const others = pools.filter((other) => other !== one).flatMap(({ servers }) => servers);
          // What names a server of another pool must not start those of this one.
          const meant = wanted?.filter((word) => !others.some((server) => isNamedBy(word, server))) ?? null;
          return meant?.length === 0 ? NO_TOOLS : await one.pool.listTools(signal, meant);
        }),
      );
      return joined(lists);
    },
    close: async () => {
      await Promise.all(pools.map(({ pool }) => pool.close()));
    },
  };
}

const NO_TOOLS = { ok: true, tools: [] } as const;

const joined = (lists: readonly Listed[]): Listed =>
  lists.find((list) => !list.ok) ?? { ok: true, tools: lists.flatMap((list) => (list.ok ? list.tools : [])) };
