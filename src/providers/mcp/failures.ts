// What can go wrong with an MCP server, as kinds: the tool said no, or the server itself failed.
import { type Raised, raised } from "../../errors/index.ts";

/** Codes of the protocol's own library for what happens on our side of the wire. */
const CLOSED = -32000;
const TIMED_OUT = -32001;

export type FailureCode = number | string;

export const toolError = (server: string, tool: string, content: unknown, said: string): Raised =>
  raised(
    "mcp.tool_error",
    `Tool ${tool} of MCP server ${server} answered with an error: ${said || "it gave no reason"}`,
    {
      server,
      tool,
      content,
    },
  );

export const protocolError = (server: string, tool: string | null, code: FailureCode, why: string): Raised =>
  raised("mcp.protocol_error", `MCP server ${server}${tool ? ` failed on tool ${tool}` : " failed"}: ${why}`, {
    server,
    tool,
    code,
  });

/** Whether the server is gone or mute; an error that it sent itself (bad arguments, no such tool) is one a model can act on. */
export const isServerFailure = (error: Raised): boolean => {
  if (error.kind !== "mcp.protocol_error") return false;
  const { code } = error.details;
  return typeof code !== "number" || code === CLOSED || code === TIMED_OUT;
};

/** The code and the reason in whatever the client library threw. */
export function readThrown(error: unknown): { readonly code: FailureCode; readonly why: string } {
  const { code, message, cause } = error as {
    code?: unknown;
    message?: unknown;
    cause?: { code?: unknown; message?: unknown };
  };
  const why = typeof message === "string" ? message : String(error);
  const deep = typeof cause?.code === "string" ? cause.code : undefined;
  if (deep) return { code: deep, why: `${why} (${deep})` };
  return { code: typeof code === "number" || typeof code === "string" ? code : "failed", why };
}
