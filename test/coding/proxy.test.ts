// With `network: true` commands reach addresses by a proxy of the sandbox: not only to read, and not only in the clear.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  oneStep,
  REAL_AGENTS,
} from "./workshop.ts";

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

/** A server of this machine, and what it was sent while something ran. */
async function heardDuring(
  make: (listener: RequestListener) => Server,
  run: (port: number) => Promise<unknown>,
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
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
  describeAgent(real.agent, "and what goes through the proxy", () => {
    /** Sends the body by curl in a command, and says what came back. */
    const send = async (at: CodingPlayground, url: string, step: string): Promise<string> => {
      at.write({ "work/body.txt": BODY, "main.yaml": oneStep(real, `prompt: Send it., ${step}`) });
      const curl = `curl -sv -m 10 --noproxy '' --cacert cert.pem --data-binary @body.txt ${url} > got.txt 2> trace.txt`;
      at.play = inTurn({ tools: [real.command(`${curl}; echo "code $?" >> got.txt`)] }, "done");
      expect((await at.run("main.yaml")).result.errors).toEqual([]);
      return ["got.txt", "trace.txt"].map((name) => readFileSync(join(at.work, name), "utf8")).join("\n");
    };

    it.skipIf(!hasSandbox)("a body that is posted arrives whole", async () => {
      const at = play();
      let said = "";
      const heard = await heardDuring(createServer, async (port) => {
        said = await send(at, `http://127.0.0.1:${port}/`, "network: true");
      });
      expect(said).toContain("the-answer-of-the-server");
      expect(heard).toEqual([{ method: "POST", body: BODY }]);
    });

    it.skipIf(!hasSandbox).each([
      ["arrives with network: true, by a tunnel in which nobody else reads", "network: true", true],
      ["does not without", "sandbox: workspace", false],
    ])("what is sent over TLS %s", async (_, step, isHeard) => {
      const at = play();
      const { key, cert } = certificate(at.folder);
      let said = "";
      const heard = await heardDuring(
        (listener) => createTlsServer({ key, cert }, listener),
        async (port) => {
          said = await send(at, `https://127.0.0.1:${port}/`, step);
          // A tunnel, and in it the certificate is the server's own: nothing on the way has opened what was sent.
          if (isHeard) expect(said).toContain(`CONNECT 127.0.0.1:${port}`);
        },
      );
      expect(said.includes("the-answer-of-the-server")).toBe(isHeard);
      expect(heard).toEqual(isHeard ? [{ method: "POST", body: BODY }] : []);
    });
  });
