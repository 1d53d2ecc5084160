// `mcp_servers`, read: what kind of server each is, and which of its tools may be used.
import { isMapping } from "../../errors/mapping.ts";

export type ServerConfig =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly workingDir?: string;
      readonly timeoutMs?: number;
      readonly tools: readonly string[];
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly timeoutMs?: number;
      readonly tools: readonly string[];
    };

const strings = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

const texts = (value: unknown): Readonly<Record<string, string>> =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)])) : {};

/** The configuration of one server, or what is wrong with it. The loader has checked files; the library's users may not have. */
export function readServer(value: unknown): ServerConfig | string {
  if (!isMapping(value)) return "it must be a mapping";
  const timeoutMs = typeof value.timeout === "number" && value.timeout > 0 ? value.timeout : undefined;
  const tools = strings(value.tools) ?? ["*"];
  const type = value.type ?? (value.url === undefined ? "stdio" : "http");
  if (type === "http" || type === "sse") {
    if (typeof value.url !== "string" || !URL.canParse(value.url)) return `a server of type ${type} needs a url`;
    return { type, url: value.url, headers: texts(value.headers), timeoutMs, tools };
  }
  if (type !== "stdio") return `its type is ${JSON.stringify(type)}, but it must be stdio, http or sse`;
  if (typeof value.command !== "string" || value.command === "") return "a server of type stdio needs a command";
  const workingDir = typeof value.working_dir === "string" ? value.working_dir : undefined;
  return {
    type,
    command: value.command,
    args: strings(value.args) ?? [],
    env: texts(value.env),
    workingDir,
    timeoutMs,
    tools,
  };
}

export const allows = (server: ServerConfig, tool: string): boolean =>
  server.tools.includes("*") || server.tools.includes(tool);

/** Whether a word of an agent's `tools` names this server, or a tool of it. */
export const isNamedBy = (word: string, server: string): boolean => word === server || word.startsWith(`${server}__`);

/** What a server inherits. Not everything: keys in our environment are none of its business. */
const INHERITED =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|(?:HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|XDG_[A-Z_]+|APPDATA|LOCALAPPDATA|SYSTEMROOT|USERPROFILE|PROGRAMFILES)$/i;

export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && INHERITED.test(pair[0]),
  );
  return { ...Object.fromEntries(inherited), ...own };
}
