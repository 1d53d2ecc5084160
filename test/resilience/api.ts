// A local server that can be told to fail, and counts who asked for what while it did.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Api {
  readonly url: string;
  /** Answers 503 while it is down. */
  isUp: boolean;
  /** Requests that were answered well, by path. */
  readonly served: Map<string, number>;
  /** Moments of requests that failed. */
  readonly refused: number[];
  readonly bodies: string[];
}

export async function startApi(isUp = true, delayMs = 0): Promise<Api> {
  const api = { url: "", isUp, served: new Map<string, number>(), refused: [] as number[], bodies: [] as string[] };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () =>
      setTimeout(() => {
        if (body) api.bodies.push(body);
        response.setHeader("content-type", "application/json");
        if (api.isUp) api.served.set(request.url ?? "", (api.served.get(request.url ?? "") ?? 0) + 1);
        else api.refused.push(Date.now());
        response.statusCode = api.isUp ? 200 : 503;
        response.end(JSON.stringify({ path: request.url }));
      }, delayMs),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return api;
}
