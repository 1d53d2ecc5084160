// Whom an agent's program speaks to by itself: its model, and nobody else. Telemetry, updates and their like are off.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, inTurn, oneStep, REAL_AGENTS } from "./workshop.ts";

const play = codingPlayground();

/** A proxy that leads nowhere, and whom it was asked for. */
async function askedDuring(run: (url: string) => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(502).end();
  });
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    await run(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
  return asked;
}

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "on the network", () => {
    it("speaks to its model alone", async () => {
      const at = play();
      const asked = await askedDuring(async (url) => {
        for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]) at.session.env[name] = url;
        at.session.env.NO_PROXY = "127.0.0.1";
        at.session.env.no_proxy = "127.0.0.1";
        at.play = inTurn({ tools: [one.command("true")] }, "done");
        at.write({ "main.yaml": oneStep(one, "prompt: Go.") });
        expect((await at.run("main.yaml")).result.status).toBe("completed");
      });
      expect(asked).toEqual([]);
      expect(new Set(at.requests.map(({ path }) => path.replace(/\?.*/, ""))).size).toBe(1);
    });
  });
