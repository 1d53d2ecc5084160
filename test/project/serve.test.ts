// `segno serve` drives the triggers of a trusted project, and takes its webhooks.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../support/until.ts";
import { Workshop } from "./workshop.ts";

const SECRET = "s3cret";
const files = {
  "segno.yaml": `triggers: [{ name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: ${SECRET}, verify: github }, inputs: { ref: "{{ trigger.body.ref }}" } }]\n`,
  "flow.yaml":
    "workflow: { name: flow, entry_point: a, input: { ref: { type: string } } }\nagents: [{ name: a, type: set, value: '{{ workflow.input.ref }}' }]\n",
};

async function serve(work: Workshop): Promise<string> {
  const { VITEST: _, NODE_ENV: _env, ...env } = process.env;
  const child = spawn(process.execPath, [resolve("dist/main.cjs"), "serve", "--port", "0"], {
    cwd: work.dir,
    env: { ...env, HOME: work.home, SEGNO_HOME: work.home, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\/\/[^/]+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error("it did not serve");
}

const push = (url: string, text: string, secret = SECRET): Promise<Response> =>
  fetch(`${url}/hooks/push`, {
    method: "POST",
    body: text,
    headers: {
      "content-type": "application/json",
      "x-github-delivery": "1",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`,
    },
  });

it("says what it drives, and writes a token of one's own into no log", async () => {
  const work = new Workshop(files);
  work.segno("trust", "--yes");
  const token = "a-token-of-our-own";
  const child = spawn(process.execPath, [resolve("dist/main.cjs"), "serve", "--port", "0"], {
    cwd: work.dir,
    env: { ...process.env, HOME: work.home, SEGNO_HOME: work.home, NO_COLOR: "1", SEGNO_SERVE_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    if (line.includes("Ctrl-C")) break;
  }
  expect(said).not.toContain(token);
  expect(said).toMatch(/Segno's page: http:\/\/127\.0\.0\.1:\d+\/ /);
  expect(said).toContain("It drives the triggers of segno.yaml: pushed.");
}, 60_000);

it("takes a webhook, makes its run, and refuses what is forged or too large", async () => {
  const work = new Workshop(files);
  work.segno("trust", "--yes");
  const url = await serve(work);
  const taken = await push(url, '{"ref": "main"}');
  expect(taken.status).toBe(202);
  const { run_id } = (await taken.json()) as { readonly run_id: string };
  expect((await push(url, '{"ref": "main"}', "guess")).status).toBe(401);
  expect((await push(url, `"${"x".repeat(1024 * 1024)}"`)).status).toBe(413);
  expect(await (await push(url, '{"ref": "main"}')).json()).toEqual({ run_id, duplicate: true });
  await until(() => JSON.parse(work.segno("show", run_id, "--output-format", "json").stdout).status === "completed");
  expect(work.segno("triggers", "history").stdout).toContain("completed");
}, 120_000);

it("takes none for a project that nobody trusts", async () => {
  const url = await serve(new Workshop(files));
  expect((await push(url, '{"ref": "main"}')).status).not.toBe(202);
}, 60_000);
