// A way to the database that can lose an answer: what was asked is done, and whoever asked never hears of it.
import { connect, createServer, type Socket } from "node:net";

export interface LossyProxy {
  readonly url: string;
  /** The next answer of the server is lost, and its connection with it. */
  loseNextAnswer(): void;
  close(): void;
}

export function lossyProxy(url: string): Promise<LossyProxy> {
  const at = new URL(url);
  const [port, host] = [Number(at.port), at.hostname];
  const sockets = new Set<Socket>();
  let isLosing = false;
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      if (!isLosing) return client.write(bytes);
      isLosing = false;
      client.destroy();
      return undefined;
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      at.port = String(typeof address === "object" && address ? address.port : 0);
      resolve({
        url: at.href,
        loseNextAnswer: () => {
          isLosing = true;
        },
        close: () => {
          for (const socket of sockets) socket.destroy();
          server.close();
        },
      });
    });
  });
}
