// `segno mcp`: hands over to the face that speaks MCP.
import type { Call } from "../command.ts";
import { UsageError } from "../usage-error.ts";

export default async function mcp({ asked, output, faces }: Call): Promise<number> {
  if (!faces.mcp) throw new UsageError("This build has no MCP server.", { command: "mcp" });
  const { serveMcp } = await faces.mcp();
  return serveMcp(asked, output);
}
