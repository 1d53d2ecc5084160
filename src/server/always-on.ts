// What other programs ask of a server or a worker: webhooks, which prove themselves, and metrics, for who has the token.
import type { Hono } from "hono";
import type { BackgroundJobs } from "../services/project/background-jobs.ts";
import { LARGEST_WEBHOOK, type RefusedWebhook } from "../services/triggers/deliver.ts";
import type { ProblemJson } from "./contract/problem.ts";
import { jsonAnswer, problem, readBody } from "./http-server.ts";
import { bearerOf } from "./security.ts";

export interface AlwaysOn {
  isToken(token: string): boolean;
  /** What Prometheus reads. */
  scrape(): Promise<string>;
  /** Takes webhooks; absent when there are no triggers. */
  readonly deliver?: BackgroundJobs["deliver"];
}

export function alwaysOn(app: Hono, { isToken, scrape, deliver }: AlwaysOn): void {
  app.get("/metrics", async (c) => {
    const token = bearerOf(c.req.header("authorization"));
    if (token === undefined || !isToken(token))
      return problem(c, {
        status: 401,
        code: "wrong_token",
        message: "the server's token is needed as a bearer token",
      });
    return new Response(await scrape(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
  });

  app.post("/hooks/*", async (c) => {
    if (!deliver)
      return problem(c, {
        status: 404,
        code: "not_found",
        message: "no trusted project with triggers is served here",
      });
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
