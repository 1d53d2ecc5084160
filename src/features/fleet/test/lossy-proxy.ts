// A way to the database that can lose an answer, or keep it back: what was asked is done, and whoever asked does not hear
// of it.
import { connect, createServer, type Socket } from "node:net";

export interface LossyProxy {
  readonly url: string;
  /** The next answer of the server is lost, and its connection with it. */
  loseNextAnswer(): void;
  /** The same, of the answer to the next `commit`. */
  loseNextCommit(): void;
  /** The next notice that the server sends is lost; its connection stays. */
  loseNextNotice(): void;
  /** All connections are cut. */
  cut(): void;
  /** Answers are kept back until what is given is called. */
  holdAnswers(): () => void;
  close(): void;
}

/** A message `A` of the protocol: its length, the sender, and the channel. */
const isNotice = (bytes: Buffer): boolean =>
  bytes[0] === 0x41 && bytes.subarray(9, 15).toString("latin1") === "segno\0";

export function lossyProxy(url: string): Promise<LossyProxy> {
  const at = new URL(url);
  const [port, host] = [Number(at.port), at.hostname];
  const sockets = new Set<Socket>();
  let isLosing = false;
  let isLosingCommit = false;
  let isLosingNotice = false;
  let held: Promise<void> | undefined;
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
    let hasCommitted = false;
    client.on("data", (bytes) => {
      if (isLosingCommit && /commit/i.test(bytes.toString("latin1"))) {
        isLosingCommit = false;
        hasCommitted = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (isLosingNotice && isNotice(bytes)) {
        isLosingNotice = false;
        return undefined;
      }
      if (held) return void held.then(() => client.write(bytes));
      if (!isLosing && !hasCommitted) return client.write(bytes);
      if (!hasCommitted) isLosing = false;
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
        loseNextCommit: () => {
          isLosingCommit = true;
        },
        loseNextNotice: () => {
          isLosingNotice = true;
        },
        cut: () => {
          for (const socket of sockets) socket.destroy();
          sockets.clear();
        },
        holdAnswers: () => {
          let release: () => void = () => {};
          held = new Promise((done) => {
            release = () => {
              held = undefined;
              done();
            };
          });
          return release;
        },
        close: () => {
          for (const socket of sockets) socket.destroy();
          server.close();
        },
      });
    });
  });
}
