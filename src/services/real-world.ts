// The outside as real runs reach it: processes, sockets, MCP servers, models. What needs a package loads it when first used.
import type { Redactor } from "../redact/index.ts";
import { secretsFromHeaders } from "../redact/index.ts";
import { fetchHttp } from "../steps/http/client.ts";
import { runProcess } from "../steps/process/index.ts";
import type { StepWorld } from "../steps/world.ts";

export interface ClosableWorld extends StepWorld {
  /** Ends MCP servers and connections. */
  close(): Promise<void>;
}

export function realWorld(env: Readonly<Record<string, string | undefined>>, redactor: Redactor): ClosableWorld {
  return {
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    run: runProcess,
    fetch(request, attempt) {
      for (const secret of secretsFromHeaders(request.headers)) redactor.learn(secret);
      return fetchHttp(request, attempt);
    },
    callTool: async () => {
      throw new Error("MCP steps are not connected yet");
    },
    callModel: async () => {
      throw new Error("agents are not connected yet");
    },
    close: async () => {},
  };
}
