// The HTTP server below an app. A client that asks before it sends (`Expect: 100-continue`) gets `100 Continue` only
// for a request that would be accepted; to any other the app answers at once.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { LARGEST_WEBHOOK } from "../services/triggers/deliver.ts";
import { MOST_BODY_BYTES, MOST_SESSION_BYTES, SESSION_PATH } from "./read-body.ts";

export function httpServer({ fetch }: Pick<Hono, "fetch">): Server {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(listener);
  server.on("checkContinue", (request, response) => {
    if (!isTooLarge(request)) response.writeContinue();
    void listener(request, response);
  });
  return server;
}

const isTooLarge = ({ url = "", headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > mostAt(url.split("?")[0] ?? url);

const mostAt = (path: string): number =>
  path.startsWith("/hooks/") ? LARGEST_WEBHOOK : path === SESSION_PATH ? MOST_SESSION_BYTES : MOST_BODY_BYTES;
