// The door of a worker: metrics and webhooks, and whether it lives. There is no page here and no session, so whatever name
// it is reached by is fine: a load balancer's, or a container's address.
import { Hono } from "hono";
import type { BackgroundJobs } from "../services/project/background-jobs.ts";
import { refusal } from "../services/refusals.ts";
import { version } from "../services/session/home.ts";
import { alwaysOn } from "./always-on.ts";
import { answerThrown, closeServer, httpServer, jsonAnswer, problem } from "./http-server.ts";
import { type ListenAddress, listening, requireToken } from "./listen.ts";
import { HEADERS, Sessions } from "./security.ts";

export interface WorkerDoor extends ListenAddress {
  /** SEGNO_SERVE_TOKEN. */
  readonly token: string | undefined;
  readonly deliver?: BackgroundJobs["deliver"];
  scrape(): Promise<string>;
  readonly defect: (thrown: unknown) => void;
}

export interface OpenedDoor {
  readonly port: number;
  close(): Promise<void>;
}

export async function openDoor({ host, port, token, deliver, scrape, defect }: WorkerDoor): Promise<OpenedDoor> {
  if (!token)
    throw refusal(
      "--port needs a token that /metrics asks for: put one in the environment variable SEGNO_SERVE_TOKEN (an option would show in the list of processes)",
    );
  requireToken(token);
  const sessions = new Sessions(token);
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  app.onError(answerThrown(defect));
  app.get("/healthz", (c) => jsonAnswer(c, { status: 200, body: { status: "ok", version: version() } }));
  alwaysOn(app, { isToken: (given) => sessions.isToken(given), scrape, ...(deliver ? { deliver } : {}) });
  app.all("*", (c) => problem(c, { status: 404, code: "not_found", message: "there is no such address" }));
  const server = httpServer(app);
  return {
    port: await listening(server, { host, port }),
    close: () => closeServer(server),
  };
}
