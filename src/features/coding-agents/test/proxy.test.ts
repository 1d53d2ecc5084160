// What an agent's commands reach: nothing, or with `network: true` addresses by a proxy of the sandbox (not only to read, and
// not only in the clear), or under `full` all of it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS } from "./workshop.ts";

const play = codingPlayground();

/** A certificate that only this test trusts. */
function certificate(folder: string): { readonly key: Buffer; readonly cert: Buffer } {
  const [keyFile, file] = [join(folder, "key.pem"), join(folder, "work/cert.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", keyFile, "-out", file];
  execFileSync("openssl", [...made, ...named], { stdio: "ignore" });
  return { key: readFileSync(keyFile), cert: readFileSync(file) };
}

interface Heard {
  readonly method: string | undefined;
  readonly body: string;
}

/** A server of this machine, at a port or a unix socket, and what it was sent while something ran. */
async function heardDuring(
  make: (listener: RequestListener) => Server,
  run: (port: number) => Promise<unknown>,
  path?: string,
): Promise<Heard[]> {
  const heard: Heard[] = [];
  const server = make((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      heard.push({ method: request.method, body: Buffer.concat(chunks).toString("utf8") });
      response.end("the-answer-of-the-server");
    });
  });
  const place = path === undefined ? { port: 0, host: "127.0.0.1" } : { path };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  try {
    await run((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return heard;
}

const BODY = "x".repeat(100_000);

for (const real of REAL_AGENTS)
  describeAgent(real.agent, "and the network", () => {
    it.skipIf(!hasSandbox).each([
      ["reach nothing by default", "sandbox: workspace", false, false],
      [
        "reach addresses with network: true, whole and over TLS by a tunnel, and no unix socket",
        "network: true",
        true,
        false,
      ],
      ["reach all of it under full, still without the agent's key", "sandbox: full", true, true],
    ])("commands %s", async (_, step, isHeard, isFull) => {
      const at = play();
      const { key, cert } = certificate(at.folder);
      const socket = join(at.folder, "docker.sock");
      const said = (index: number): string => readFileSync(join(at.work, `got${index}`), "utf8");
      const heard: Record<string, Heard[]> = {};
      heard.socket = await heardDuring(
        createServer,
        async () => {
          heard.clear = await heardDuring(createServer, async (port) => {
            heard.tls = await heardDuring(
              (listener) => createTlsServer({ key, cert }, listener),
              async (tlsPort) => {
                // By the proxy where the sandbox has one.
                const ways = [
                  `--noproxy '' http://127.0.0.1:${port}/`,
                  `--noproxy '' --cacert cert.pem https://127.0.0.1:${tlsPort}/`,
                  `--unix-socket ${socket} http://x/`,
                ];
                const curls = ways.map(
                  (way, index) =>
                    `curl -sv -m 60 --data-binary @body.txt ${way} > got${index} 2>&1; echo "code $?" >> got${index}`,
                );
                const line = [...curls, "env > env.txt", `(echo out > ${at.folder}/out.txt)`, "true"].join("; ");
                at.play = inTurn({ tools: [real.command(line)] }, "done");
                at.write({ "work/body.txt": BODY, "main.yaml": oneStep(real, `prompt: Send it., ${step}`) });
                expect((await at.run("main.yaml")).result.errors).toEqual([]);
                // A tunnel, and in it the certificate is the server's own: nothing on the way has opened what was sent.
                if (isHeard && !isFull) expect(said(1)).toContain(`CONNECT 127.0.0.1:${tlsPort}`);
              },
            );
          });
        },
        socket,
      );
      const answered = [0, 1, 2].map((index) => said(index).includes("the-answer-of-the-server"));
      expect(answered).toEqual([isHeard, isHeard, isFull]);
      const whole = [{ method: "POST", body: BODY }];
      expect(heard).toEqual({ clear: isHeard ? whole : [], tls: isHeard ? whole : [], socket: isFull ? whole : [] });
      expect(existsSync(join(at.folder, "out.txt"))).toBe(isFull);
      const env = readFileSync(join(at.work, "env.txt"), "utf8");
      expect(env).toContain("PATH=");
      if (real.agent === "claude-agent-sdk") expect(env).not.toContain("key-of-nobody-at-all");
    });
  });
