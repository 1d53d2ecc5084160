// `segno mcp`: the same services as the command line, for coding agents. Nothing of the protocol is loaded before this.
import { resolve } from "node:path";
import { BackgroundRuns } from "../../services/runs/background.ts";
import { homeOf } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import type { Serving } from "./answer.ts";
import { driveForServer, isDriver } from "./drive.ts";
import type { HttpOptions } from "./http.ts";
import { mcpClient } from "./reader.ts";

/** What the command line was asked; the parts of it that are needed here. */
interface Asked {
  readonly session: Session;
  flag(name: string): boolean;
  number(name: string): number | undefined;
  list(name: string): readonly string[];
}

const SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Serves until the client goes or a signal comes. Runs in processes of their own go on then; those inside are stopped, and can be resumed. */
export async function serveMcp(asked: Asked, output: Pick<HttpOptions, "say" | "sayToken">): Promise<number> {
  const { session } = asked;
  const mayAnswerGates = asked.flag("allow-gate-answers");
  if (isDriver()) return driveForServer({ ...session, reader: mcpClient({ mayAnswerGates }) });
  const ending = new AbortController();
  const serving: Serving = {
    session,
    runs: new BackgroundRuns(),
    roots: asked.list("root").map((root) => resolve(session.cwd, root)),
    mayAnswerGates,
    hasWorkflowTools: asked.flag("tools"),
    answering: new Set(),
    ending: ending.signal,
  };
  const stop = new AbortController();
  const end = (): void => stop.abort();
  const interrupt = async (): Promise<void> => {
    if (!(await serving.runs.stopRequested(homeOf(session)))) end();
  };
  for (const name of SIGNALS) process.on(name, end);
  process.on("SIGINT", interrupt);
  try {
    if (asked.flag("http")) {
      const { serveHttp } = await import("./http.ts");
      const say = (line: string): void => output.say(line);
      const sayToken = (line: string): void => output.sayToken(line);
      const options = { port: asked.number("port") ?? 0, say, sayToken, token: session.env.SEGNO_MCP_TOKEN };
      await serveHttp(serving, options, stop.signal, () => ending.abort());
    } else {
      const { serveStdio } = await import("./stdio.ts");
      await serveStdio(serving, stop.signal, () => ending.abort());
    }
    return 0;
  } finally {
    for (const name of SIGNALS) process.off(name, end);
    process.off("SIGINT", interrupt);
  }
}
