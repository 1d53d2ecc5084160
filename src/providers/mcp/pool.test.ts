// Pools joined: each call goes where its server is, and no server is started that nobody means.
import { describe, expect, it } from "vitest";
import { testAttempt } from "../../../test/support/model-calls.ts";
import { joinPools, type McpPool } from "./pool.ts";

function recording(server: string): { readonly pool: McpPool; readonly heard: unknown[] } {
  const heard: unknown[] = [];
  const pool: McpPool = {
    callTool: async ({ tool }) => {
      heard.push(tool);
      return { ok: true, content: [] };
    },
    listTools: async (_, wanted) => {
      heard.push(wanted);
      return { ok: true, tools: [{ server, name: "go", description: "", inputSchema: {} }] };
    },
    close: async () => void heard.push("closed"),
  };
  return { pool, heard };
}

describe("pools that are joined", () => {
  const join = () => {
    const own = recording("own");
    const file = recording("desk");
    const pool = joinPools([
      { servers: ["own"], pool: own.pool },
      { servers: ["desk"], pool: file.pool },
    ]);
    return { own, file, pool };
  };
  const serversOf = async (pool: McpPool, wanted: readonly string[] | null): Promise<unknown> => {
    const listed = await pool.listTools(undefined, wanted);
    return listed.ok && listed.tools.map(({ server }) => server);
  };

  it.each([
    [null, ["own", "desk"]],
    [["own"], ["own"]],
    [["desk__go"], ["desk"]],
    [["go"], ["own", "desk"]],
  ])("list for %j the tools of %j", async (wanted, servers) => {
    expect(await serversOf(join().pool, wanted)).toEqual(servers);
  });

  it("call each tool where its server is, and close together", async () => {
    const { own, file, pool } = join();
    const { attempt } = testAttempt({});
    await pool.callTool({ server: "own", tool: "a", arguments: {} }, attempt);
    await pool.callTool({ server: "desk", tool: "b", arguments: {} }, attempt);
    await pool.callTool({ server: "nobody", tool: "c", arguments: {} }, attempt);
    await pool.close();
    expect([own.heard, file.heard]).toEqual([
      ["a", "closed"],
      ["b", "c", "closed"],
    ]);
  });
});
