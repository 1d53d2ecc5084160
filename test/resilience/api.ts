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
  /** From now on it takes requests and answers none. */
  hold(): void;
  /** Answers what was held back, and from now on at once. */
  release(): void;
}

export interface ApiOptions {
  /** False: it answers 503 until it is told otherwise. */
  readonly isUp?: boolean;
  /** Goes down by itself after so many good answers. */
  readonly failsAfter?: number;
}

export async function startApi({ isUp = true, failsAfter }: ApiOptions = {}): Promise<Api> {
  let held: (() => void)[] | undefined;
  const hold = (): void => {
    held ??= [];
  };
  const release = (): void => {
    const answers = held ?? [];
    held = undefined;
    for (const answer of answers) answer();
  };
  const api = {
    url: "",
    isUp,
    served: new Map<string, number>(),
    refused: [] as number[],
    bodies: [] as string[],
    hold,
    release,
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    const answer = (): void => {
      if (body) api.bodies.push(body);
      response.setHeader("content-type", "application/json");
      response.statusCode = api.isUp ? 200 : 503;
      if (api.isUp) api.served.set(request.url ?? "", (api.served.get(request.url ?? "") ?? 0) + 1);
      else api.refused.push(Date.now());
      if (api.served.size === failsAfter) api.isUp = false;
      response.end(JSON.stringify({ path: request.url }));
    };
    request.on("end", () => (held ? void held.push(answer) : answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return api;
}
