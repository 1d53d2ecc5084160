// `segno serve` drives the triggers of a trusted project, and takes its webhooks.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const SECRET = "s3cret";
const files = {
  "segno.yaml": `triggers: [{ name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: ${SECRET}, verify: github }, inputs: { ref: "{{ trigger.body.ref }}" } }]\n`,
  "flow.yaml":
    "workflow: { name: flow, entry_point: a, input: { ref: { type: string } } }\nagents: [{ name: a, type: set, value: '{{ workflow.input.ref }}' }]\n",
};

interface Server {
  readonly url: string;
  /** What it said after its address. */
  readonly said: string[];
  /** Gives the exit code. */
  stop(): Promise<number | null>;
}

const serve = async (work: Workshop): Promise<string> => (await server(work)).url;

async function server(work: Workshop, more: Readonly<Record<string, string>> = {}): Promise<Server> {
  const child = spawn(process.execPath, [PROGRAM, "serve", "--port", "0"], {
    cwd: work.dir,
    env: work.env(more),
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const lines = createInterface({ input: child.stderr });
  const said: string[] = [];
  const stop = (): Promise<number | null> => {
    child.kill("SIGTERM");
    return ended;
  };
  return new Promise((opened, failed) => {
    lines.on("line", (line) => {
      said.push(line);
      const url = /http:\/\/[^/]+/.exec(line)?.[0];
      if (url) opened({ url, said, stop });
    });
    void ended.then(() => failed(new Error("it did not serve")));
  });
}

const statusOf = async (work: Workshop, run: string): Promise<string> =>
  JSON.parse((await work.segno("show", run, "--output-format", "json")).stdout).status;

/** The server writes there that a firing has ended, after its run has. */
const historyOf = async (work: Workshop): Promise<string> => (await work.segno("triggers", "history")).stdout;

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
  await work.segno("trust", "--yes");
  const token = "a-token-of-our-own";
  const { said: lines } = await server(work, { SEGNO_SERVE_TOKEN: token });
  await until(() => lines.some((line) => line.includes("Ctrl-C")));
  const said = lines.join("\n");
  expect(said).not.toContain(token);
  expect(said).toMatch(/Segno's page: http:\/\/127\.0\.0\.1:\d+\/ /);
  expect(said).toContain("It drives the triggers of segno.yaml: pushed.");
});

it("takes a webhook, makes its run, and refuses what is forged or too large", async () => {
  const work = new Workshop(files);
  await work.segno("trust", "--yes");
  const url = await serve(work);
  const taken = await push(url, '{"ref": "main"}');
  expect(taken.status).toBe(202);
  const { run_id } = (await taken.json()) as { readonly run_id: string };
  expect((await push(url, '{"ref": "main"}', "guess")).status).toBe(401);
  expect((await push(url, `"${"x".repeat(1024 * 1024)}"`)).status).toBe(413);
  expect(await (await push(url, '{"ref": "main"}')).json()).toEqual({ run_id, duplicate: true });
  await until(async () => (await statusOf(work, run_id)) === "completed");
  await until(async () => (await historyOf(work)).includes("completed"));
});

const HELD = `workflow: { name: flow, entry_point: before, input: { ref: { type: string } } }
agents:
  - { name: before, type: script, command: sh, args: [-c, "echo once >> before"], routes: [{ to: held }] }
  - { name: held, type: script, command: sh, args: [-c, "echo $$ >> log; until test -e go; do sleep 0.1; done"] }
`;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each(["another server", "the next start"])(
  "lets go of a trigger's run when it is stopped: %s goes on with it",
  async (who) => {
    const work = new Workshop({ ...files, "flow.yaml": HELD });
    await work.segno("trust", "--yes");
    const lines = (name: string): string[] =>
      existsSync(join(work.dir, name)) ? work.read(name).trim().split("\n") : [];
    const first = await server(work);
    const { run_id } = (await (await push(first.url, '{"ref": "main"}')).json()) as { readonly run_id: string };
    await until(() => lines("log").length === 1);
    if (who === "another server") await serve(work);
    expect(await first.stop()).toBe(0);
    expect(first.said.join("\n")).toContain("Runs that triggers started are released");
    expect(first.said.join("\n")).toContain(`Released run ${run_id}, started by triggers: another server`);
    expect(isAlive(Number(lines("log")[0]))).toBe(false);
    if (who === "the next start") await serve(work);
    await until(() => lines("log").length === 2);
    work.write("go", "");
    await until(async () => (await statusOf(work, run_id)) === "completed");
    expect(lines("before")).toEqual(["once"]);
    await until(async () => /ended.*completed/.test(await historyOf(work)));
  },
);

it("stops a run that a person started from its page, and says how to go on with it", async () => {
  const work = new Workshop({ ...files, "flow.yaml": HELD });
  await work.segno("trust", "--yes");
  const page = await server(work);
  const token = /#token=(\S+)/.exec(page.said.join("\n"))?.[1];
  const post = async (path: string, body: object, session?: string) => {
    const headers = {
      "content-type": "application/json",
      origin: page.url,
      "idempotency-key": crypto.randomUUID(),
      ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
    };
    const answer = await fetch(`${page.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { readonly session: string; readonly run_id: string };
  };
  const { session } = await post("/api/session", { token });
  const { run_id } = await post("/api/runs", { file: "flow.yaml", inputs: { ref: "main" } }, session);
  await until(() => existsSync(join(work.dir, "log")));
  expect(await page.stop()).toBe(130);
  expect(page.said.at(-1)).toBe(`Stopped run ${run_id}: \`npx segno resume ${run_id}\` goes on.`);
  work.write("go", "");
  expect((await work.segno("resume", run_id)).code).toBe(0);
});

it("takes none for a project that nobody trusts", async () => {
  const url = await serve(new Workshop(files));
  expect((await push(url, '{"ref": "main"}')).status).not.toBe(202);
});
