// The addresses for other programs: webhooks, which are signed, and metrics, which need the token. A worker serves only
// these.
import { Hono } from "hono";
import { LARGEST_WEBHOOK, type RefusedWebhook } from "../../features/triggers/deliver.ts";
import { refusal } from "../../services/refusals.ts";
import { version } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import type { BackgroundJobs } from "./background-jobs.ts";
import type { ProblemJson } from "./contract/values.ts";
import {
  answerThrown,
  closeServer,
  exitOf,
  httpServer,
  jsonAnswer,
  type ListenAddress,
  listening,
  openExit,
  problem,
  readBody,
  requireToken,
} from "./http-server.ts";
import { bearerOf, denialWith, HEADERS, Sessions } from "./security.ts";

export interface WorkerDoor extends ListenAddress {
  /** SEGNO_SERVE_TOKEN. */
  readonly token: string | undefined;
  readonly deliver?: BackgroundJobs["deliver"];
  scrape(): Promise<string>;
  readonly env: Session["env"];
  readonly defect: (thrown: unknown) => void;
}

export interface OpenedDoor {
  readonly port: number;
  close(): Promise<void>;
}

/** Here is no page and no session, so it may be reached by any name: a load balancer's, or a container's address. */
export async function openDoor({ host, port, token, deliver, scrape, env, defect }: WorkerDoor): Promise<OpenedDoor> {
  if (!token)
    throw refusal(
      "--port needs a token that /metrics asks for: put one in the environment variable SEGNO_SERVE_TOKEN (an option would show in the list of processes)",
    );
  requireToken(token);
  const sessions = new Sessions(token);
  const app = new Hono();
  app.use(async (c, next) => {
    openExit(c, env);
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
  app.onError(answerThrown(defect));
  app.get("/healthz", (c) => jsonAnswer(c, { status: 200, body: { status: "ok", version: version() } }));
  alwaysOn(app, { isToken: (given) => sessions.isToken(given), scrape, deliver });
  app.all("*", (c) => problem(c, denialWith(404, "not_found", "there is no such address")));
  const server = httpServer(app);
  return { port: await listening(server, { host, port }), close: () => closeServer(server) };
}

export interface AlwaysOn {
  isToken(token: string): boolean;
  scrape(): Promise<string>;
  /** Takes webhooks; absent when there are no triggers. */
  readonly deliver?: BackgroundJobs["deliver"];
}

export function alwaysOn(app: Hono, { isToken, scrape, deliver }: AlwaysOn): void {
  app.get("/metrics", async (c) => {
    const token = bearerOf(c.req.header("authorization"));
    if (token === undefined || !isToken(token))
      return problem(c, denialWith(401, "wrong_token", "the server's token is needed as a bearer token"));
    return new Response(exitOf(c).text(await scrape()), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  });

  app.post("/hooks/*", async (c) => {
    if (!deliver) return problem(c, denialWith(404, "not_found", "no trusted project with triggers is served here"));
    const headers = Object.fromEntries(c.req.raw.headers);
    const body = await readBody(c.req.raw, LARGEST_WEBHOOK, "the body is larger than 1 MiB");
    const answer = await deliver({ path: c.req.path, headers, body });
    if (answer.status === 200 || answer.status === 202) return jsonAnswer(c, answer);
    return problem(c, { status: answer.status, code: CODES[answer.status], message: answer.body.error });
  });
}

const CODES: Readonly<Record<RefusedWebhook["status"], ProblemJson["code"]>> = {
  400: "bad_request",
  401: "wrong_token",
  404: "not_found",
  413: "too_large",
  422: "refused",
  503: "refused",
};
