// Several pools as one: the servers of an agent's own, and those that it shares with the rest of its file.
import type { McpPool } from "./pool.ts";
import { isNamedBy } from "./servers.ts";

interface JoinedPool {
  /** The names of its servers; no two pools have one in common. */
  readonly servers: readonly string[];
  readonly pool: McpPool;
}

/** The last pool answers for servers that none has. */
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
      const failed = lists.find((list) => !list.ok);
      return failed ?? { ok: true, tools: lists.flatMap((list) => (list.ok ? list.tools : [])) };
    },
    close: async () => {
      await Promise.all(pools.map(({ pool }) => pool.close()));
    },
  };
}

const NO_TOOLS = { ok: true, tools: [] } as const;
