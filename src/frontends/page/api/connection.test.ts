// A server that hangs is noticed as fast as one that is gone, and one with nothing to say is neither.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { StreamConnection, type StreamNotice } from "./connection.ts";

const server = createServer();
afterEach(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

test("after three seconds of silence there is no connection, since the moment it was heard last", async () => {
  const answered = new Promise<ServerResponse>((resolve) => server.once("request", (_, response) => resolve(response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, more: RequestInit) => real(`http://127.0.0.1:${port}${path}`, more));

  const notices: StreamNotice[] = [];
  let hear: (one: StreamNotice) => void = () => undefined;
  const away = new Promise<StreamNotice & { readonly what: "away" }>((resolve) => {
    hear = (one) => one.what === "away" && resolve(one);
  });
  const connection = new StreamConnection((one) => {
    notices.push(one);
    hear(one);
  });
  connection.want("session", { runs: new Map(), list: true });
  const response = await answered;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(":\n\n");
  // Three heartbeats, longer than silence is borne, and then none.
  let beats = 3;
  let lastBeat = 0;
  const beating = setInterval(() => {
    response.write(":\n\n");
    lastBeat = Date.now();
    beats -= 1;
    if (beats === 0) clearInterval(beating);
  }, 1000);
  const { since } = await away;
  connection.want(null, { runs: new Map(), list: false });
  expect(notices[0]).toEqual({ what: "connected" });
  expect(beats).toBe(0);
  expect(since).toBeGreaterThanOrEqual(lastBeat - 5);
  expect(Date.now() - since).toBeGreaterThan(1900);
});
