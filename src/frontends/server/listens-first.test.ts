// A server that has much to catch up with is there for others from the first moment.
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { MOST_CAUGHT_UP } from "../../features/triggers/due.ts";
import { readProject } from "../../services/project/read-project.ts";
import { storeFor } from "../../services/session/store.ts";
import type { Firings } from "../../storage/firings.ts";

const FLOW = `workflow: { name: flow, entry_point: note }
agents: [{ name: note, type: set, value: 1 }]
`;
const PROJECT = `name: shop
triggers:
  - { name: minutely, workflow: flow.yaml, schedule: "* * * * *", catch_up: all, overlap: queue }
  - { name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: s3cret, verify: github } }
`;
const HOURS = 3600_000;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "segno-catching-up-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function inStore<Answer>(use: (firings: Firings) => Answer | Promise<Answer>): Promise<Answer> {
  const store = await storeFor({ cwd: home, env: {}, home });
  try {
    if (!store.state.firings) throw new Error("this store keeps no firings");
    return await use(store.state.firings);
  } finally {
    await store.close();
  }
}

const caughtUp = async (): Promise<number> =>
  (await inStore((firings) => firings.list({ trigger: "shop#minutely" }))).length;

it("answers, and takes webhooks, while it catches up with hours of moments, and stops when it is asked to", async () => {
  await inStore((firings) => firings.see("shop#minutely", Date.now() - 9 * HOURS));
  const server = await Served.start({ "flow.yaml": FLOW, "segno.yaml": PROJECT }, {}, (root) => {
    const { project } = readProject(join(root, "segno.yaml"), {});
    if (!project) throw new Error("the project is not valid");
    return { home, drives: project };
  });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const signature = `sha256=${createHmac("sha256", "s3cret").update("{}").digest("hex")}`;
  const headers = { "x-hub-signature-256": signature };
  expect((await fetch(`${server.url}/hooks/push`, { method: "POST", body: "{}", headers })).status).toBe(202);
  await server.close();
  expect(await caughtUp()).toBeLessThan(MOST_CAUGHT_UP);
});

it("fires nothing when it cannot listen", async () => {
  await inStore((firings) => firings.see("shop#minutely", Date.now() - HOURS));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const started = Served.start({ "flow.yaml": FLOW, "segno.yaml": PROJECT }, { port }, (root) => ({
    home,
    ...(({ project }) => (project ? { drives: project } : {}))(readProject(join(root, "segno.yaml"), {})),
  }));
  await expect(started).rejects.toThrow(`port ${port}`);
  other.close();
  expect(await caughtUp()).toBe(0);
});
