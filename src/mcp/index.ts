// `segno mcp`: the same services as the command line, for coding agents. Nothing of the protocol is loaded before this.
import { resolve } from "node:path";
import type { Surroundings } from "../services/request.ts";
import { BackgroundRuns } from "../services/runs/background.ts";
import { homeOf } from "../services/session/home.ts";
import type { Serving } from "./session.ts";

/** What the command line was asked; the parts of it that are needed here. */
interface Asked {
  readonly surroundings: Surroundings;
  flag(name: string): boolean;
  number(name: string): number | undefined;
  list(name: string): readonly string[];
}

interface Output {
  say(text: string): void;
}

const SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Serves until the client goes or a signal comes; runs that go on then are stopped, and can be resumed. */
export async function serveMcp(asked: Asked, output: Output): Promise<number> {
  const { surroundings } = asked;
  const serving: Serving = {
    surroundings,
    runs: new BackgroundRuns(),
    roots: asked.list("root").map((root) => resolve(surroundings.cwd, root)),
    mayAnswerGates: asked.flag("allow-gate-answers"),
    answering: new Set(),
  };
  const stop = new AbortController();
  const end = (): void => stop.abort();
  const interrupt = (): void => {
    if (!serving.runs.stopRequested(homeOf(surroundings))) end();
  };
  for (const name of SIGNALS) process.on(name, end);
  process.on("SIGINT", interrupt);
  try {
    if (asked.flag("http")) {
      const { serveHttp } = await import("./http.ts");
      const token = surroundings.env.SEGNO_MCP_TOKEN;
      const say = (line: string): void => output.say(line);
      await serveHttp(serving, { port: asked.number("port") ?? 0, say, ...(token ? { token } : {}) }, stop.signal);
    } else {
      const { serveStdio } = await import("./stdio.ts");
      await serveStdio(serving, stop.signal);
    }
    return 0;
  } finally {
    for (const name of SIGNALS) process.off(name, end);
    process.off("SIGINT", interrupt);
  }
}
