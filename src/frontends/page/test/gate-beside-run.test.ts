// `segno run --web` where nobody is at the terminal: the page is the one to ask, and the run waits for it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const FILE = `workflow: { name: asks, entry_point: g }
agents:
  - { name: g, type: human_gate, prompt: On?, options: [{ label: Yes, value: "yes", route: a }] }
  - { name: a, type: set, value: went on }
output: { said: "{{ a.output }}" }
`;

it("a gate of run --web waits for the answer that the page gives", async () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-beside-"));
  writeFileSync(join(folder, "asks.yaml"), FILE);
  const env = { PATH: process.env.PATH, HOME: folder };
  const program = spawn(process.execPath, [resolve("dist/main.cjs"), "run", "asks.yaml", "--web"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    let [out, said] = ["", ""];
    program.stdout.on("data", (chunk) => {
      out += chunk;
    });
    program.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const ended = new Promise<number | null>((done) => program.on("exit", done));
    await expect.poll(() => said).toMatch(/#token=\S+/);
    const [, url = "", run = "", token = ""] = /(http:\S+)\/runs\/(\w+)#token=(\S+)/.exec(said) ?? [];
    const ask = async (path: string, body?: object, session = ""): Promise<Response> =>
      fetch(`${url}${path}`, {
        headers: {
          // None that is kept: while the run gets there, the server closes what is idle.
          connection: "close",
          origin: url,
          "content-type": "application/json",
          "idempotency-key": path,
          ...(session ? { authorization: `Bearer ${session}` } : {}),
        },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
    const { session } = (await (await ask("/api/session", { token })).json()) as { session: string };
    const gates = async () =>
      ((await (await ask("/api/gates", undefined, session)).json()) as { gates: { id: string; seq: number }[] }).gates;
    // What is printed leads to the run itself.
    expect((await ask(`/api/runs/${run}`, undefined, session)).status).toBe(200);
    await expect.poll(async () => (await gates()).length).toBe(1);
    const [gate] = await gates();
    const answer = { seq: gate?.seq, value: "yes" };
    // The run may be over, and its server with it, before the answer to this has arrived.
    await ask(`/api/gates/${encodeURIComponent(gate?.id ?? "")}`, answer, session).catch(() => {});
    expect(await ended).toBe(0);
    expect(out).toContain("went on");
  } finally {
    program.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
