// Failures of MCP calls, as kinds: the tool reported an error, or the server itself failed.
import { type Raised, raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";

/** Codes of the protocol's own library for what happens on our side of the wire. */
const CLOSED = -32000;
const TIMED_OUT = -32001;
/** The protocol's code for a tool that is not there, or arguments that do not fit it. */
const INVALID_PARAMS = -32602;

export type FailureCode = number | string;

export const toolError = (
  server: string,
  tool: string,
  content: unknown,
  said: string,
  tools?: readonly string[],
): Raised =>
  raised(
    "mcp.tool_error",
    isStranger(tool, tools)
      ? `MCP server ${server} has no tool ${tool}: ${said}. Its tools: ${tools?.join(", ") || "none"}`
      : `Tool ${tool} of MCP server ${server} answered with an error: ${said || "it gave no reason"}`,
    { server, tool, content, ...(said ? { server_message: said } : {}), ...(isStranger(tool, tools) ? { tools } : {}) },
  );

const isStranger = (tool: string, tools: readonly string[] | undefined): boolean =>
  tools !== undefined && !tools.includes(tool);

/** Some servers answer the call of a tool that they do not have as if the tool had failed; then their list is worth a look. */
export const mayBeNoTool = (said: string): boolean => /not found|unknown|no such|does not exist|not exist/i.test(said);

/** The server knows no such tool, or not these arguments: the caller's mistake, which says nothing about its health. */
export const refusedCall = (
  server: string,
  tool: string,
  { code, said, data }: Thrown,
  tools?: readonly string[],
): Raised =>
  raised(
    "mcp.tool_error",
    `MCP server ${server} refused the call of ${tool}: ${said}${isStranger(tool, tools) ? `. Its tools: ${tools?.join(", ") || "none"}` : ""}`,
    {
      server,
      tool,
      content: [],
      code,
      server_message: said,
      ...(data === undefined ? {} : { data }),
      ...(tools ? { tools } : {}),
    },
  );

export const protocolError = (
  server: string,
  tool: string | null,
  code: FailureCode,
  why: string,
  { said, data }: Partial<Pick<Thrown, "said" | "data">> = {},
): Raised =>
  raised("mcp.protocol_error", `MCP server ${server}${tool ? ` failed on tool ${tool}` : " failed"}: ${why}`, {
    server,
    tool,
    code,
    ...(said === undefined ? {} : { server_message: said }),
    ...(data === undefined ? {} : { data }),
  });

/** Whether the server is gone or mute; an error that it sent itself (bad arguments, no such tool) is one a model can act on. */
export const isServerFailure = (error: Raised): boolean => {
  if (error.kind !== "mcp.protocol_error") return false;
  const { code } = error.details;
  return typeof code !== "number" || code === CLOSED || code === TIMED_OUT;
};

export const isRefusedCall = ({ code }: Thrown): boolean => code === INVALID_PARAMS;

export interface Thrown {
  readonly code: FailureCode;
  readonly why: string;
  /** What the server itself said, without the words that the library puts before it, and what it sent along. */
  readonly said: string;
  readonly data: unknown;
}

export function readThrown(error: unknown): Thrown {
  const { code, message, cause, data } = error as {
    code?: unknown;
    message?: unknown;
    cause?: { code?: unknown; message?: unknown };
    data?: unknown;
  };
  const why = typeof message === "string" ? message : String(error);
  const prefix = `MCP error ${String(code)}: `;
  const said = why.startsWith(prefix) ? why.slice(prefix.length) : why;
  const deep = typeof cause?.code === "string" ? cause.code : undefined;
  if (deep) return { code: deep, why: `${why} (${deep})`, said, data };
  return { code: typeof code === "number" || typeof code === "string" ? code : "failed", why, said, data };
}

/** The text of a list of content blocks; other blocks as a word about them, since models are sent text here. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : JSON.stringify(content ?? null);
  return content
    .map((block) => {
      if (!isMapping(block)) return wordOf(block);
      if (typeof block.text === "string") return block.text;
      const resource = isMapping(block.resource) ? block.resource : undefined;
      if (typeof resource?.text === "string") return resource.text;
      const where = block.uri ?? resource?.uri ?? block.mimeType ?? "";
      return `[${wordOf(block.type)}${where ? ` ${wordOf(where)}` : ""}]`;
    })
    .join("\n");
}

/** A server may put anything where a word belongs, also what has no text of its own. */
const wordOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"));
