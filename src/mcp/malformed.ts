// Messages that the protocol's own library drops or refuses with a validator's dump: they are answered in plain words.
import type { McpServer, Transport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { unlessItThrows } from "../errors/mapping.ts";
import { misfitText } from "../errors/misfit.ts";

const INVALID_PARAMS = -32602;
const PARSE_ERROR = -32700;

const call = z.looseObject({
  method: z.literal("tools/call"),
  id: z.union([z.string(), z.number()]),
  params: z.unknown(),
});
const callParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

/** A call whose arguments are no object, or that names no tool. */
export function refuseMalformedCalls(mcp: McpServer): void {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = async (transport: Transport) => {
    await connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const asked = call.safeParse(message).data;
      const problem = asked && problemWith(asked.params);
      if (!asked || problem === undefined) return onmessage?.(message, extra);
      const error = { code: INVALID_PARAMS, message: `tools/call cannot be asked like this: ${problem}` };
      transport.send({ jsonrpc: "2.0", id: asked.id, error }, { relatedRequestId: asked.id }).catch(() => {});
    };
  };
}

function problemWith(params: unknown): string | undefined {
  const given = params ?? {};
  const issues = callParams.safeParse(given).error?.issues;
  return issues?.map((issue) => misfitText(issue, given)).join("; ");
}

/** Of what is read: each line that is no JSON is answered, and what comes after it is read on. */
export function noJsonAnswered(send: (line: string) => void): (chunk: Buffer) => void {
  let begun: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString("utf8");
      begun = [];
      from = end + 1;
      if (!isJson(line)) send(NO_JSON);
    }
    begun.push(chunk.subarray(from));
  };
}

const NO_JSON = `${JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: PARSE_ERROR, message: "this line is no JSON: a message is one line, and the whole line is JSON" },
})}\n`;

/** Nothing is said of an empty line. */
const isJson = (line: string): boolean =>
  line.trim() === "" || unlessItThrows(() => JSON.parse(line) !== undefined, false);
