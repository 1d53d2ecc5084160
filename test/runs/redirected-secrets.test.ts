// A redirect leads to somebody whom the file does not name: no secret goes along, in whatever header it stands.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { play } from "../support/play.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a known secret in a header that would go to anybody stays with whom it was meant for", async () => {
  let sent: IncomingHttpHeaders = {};
  const elsewhere = await serve(
    createServer((request, response) => {
      sent = request.headers;
      response.end("ok");
    }),
  );
  const url = await serve(createServer((_, response) => response.writeHead(307, { location: elsewhere }).end()));
  const { result } = await play(
    `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: http, url: "${url}", headers: { User-Agent: "us/\${MY_API_TOKEN}", Accept: "\${MY_API_TOKEN}", Accept-Language: de } }
`,
    { env: { PATH: process.env.PATH, MY_API_TOKEN: "tok-abcdef123456" } },
  );
  expect(result.status).toBe("completed");
  expect(sent["accept-language"]).toBe("de");
  expect(JSON.stringify(sent)).not.toContain("tok-abcdef123456");
});
