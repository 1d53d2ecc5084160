// What a sender can make a server read: a webhook that is too large is answered, and the rest of it is left alone.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type OpenedDoor, openDoor } from "./always-on.ts";

const MIB = 1024 * 1024;

let door: OpenedDoor;
let sockets: Socket[];
const heard = (message: unknown): void => {
  sockets.push((message as { readonly request: IncomingMessage }).request.socket);
};

beforeEach(async () => {
  sockets = [];
  subscribe("http.server.request.start", heard);
  door = await openDoor({
    host: "127.0.0.1",
    port: 0,
    token: "a-token-that-is-long-enough",
    env: {},
    scrape: async () => "",
    deliver: async ({ body }) => ({ status: 202, body: { run_id: String(body.byteLength) } }),
    defect: (thrown) => {
      throw thrown;
    },
  });
});
afterEach(async () => {
  unsubscribe("http.server.request.start", heard);
  await door.close();
});

/** Sends for as long as anybody takes it, whatever the answer is; gives the answer once the connection is closed. */
const sendOn = (length: string) =>
  new Promise<string>((resolve) => {
    let answer = "";
    const socket = connect(door.port, "127.0.0.1");
    const part = Buffer.from(`10000\r\n${"x".repeat(64 * 1024)}\r\n`);
    const send = (): boolean => !socket.destroyed && socket.write(part, (failed) => failed ?? send());
    socket.on("data", (data) => {
      answer += data;
    });
    // Whoever sends on when the connection is closed hears of it.
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
    socket.write(`POST /hooks/push HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n`);
    send();
  });

it.each([
  ["says that it is too large", `content-length: ${1024 * MIB}`],
  ["does not say how large it is", "transfer-encoding: chunked"],
])("refuses a webhook that %s, reads no more of it, and closes the connection", async (_, length) => {
  expect(await sendOn(length)).toMatch(/^HTTP\/1.1 413 /);
  expect(sockets).toHaveLength(1);
  // A little is on its way already when the answer is given.
  expect(sockets[0]?.bytesRead).toBeLessThan(8 * MIB);
});

/** Asks first, and sends only when it is told to. */
const ask = (length: number) =>
  new Promise<string>((resolve) => {
    let answer = "";
    const socket = connect(door.port, "127.0.0.1");
    socket.on("data", (data) => {
      if (answer === "" && String(data).startsWith("HTTP/1.1 100 ")) socket.write("x".repeat(length));
      answer += data;
      if (/^HTTP\/1.1 (?!100)/m.test(answer)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.write(`POST /hooks/push HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`);
  });

it("tells a sender that asks first to send what is small enough, and refuses what is not before it is sent", async () => {
  expect(await ask(10)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 202 /);
  expect(await ask(MIB + 1)).toMatch(/^HTTP\/1.1 413 /);
});
