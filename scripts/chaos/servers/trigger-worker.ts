// A worker of a fleet for chaos: all that `segno worker` does, but time runs twenty times as fast for its triggers, deliveries
// come in all the while, each to every worker, and now and then it dies right after it has taken one.
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { type HostClock, realClock } from "../../../src/hosts/clock.ts";
import type { DoorOfWorker } from "../../../src/services/fleet/beside-drives.ts";
import { runWorker } from "../../../src/services/fleet/worker.ts";
import { readProject } from "../../../src/services/project/read-project.ts";

const [dir = "", began = "0", quietFrom = "0", seed = "1"] = process.argv.slice(2);
const SPEED = 20;
const SECRET = "chaos";
const EPOCH = Date.parse("2026-11-15T00:00:00Z");
/** Stands still at the end, so that what was fired can be finished. */
const now = (): number => EPOCH + (Math.min(Date.now(), Number(quietFrom)) - Number(began)) * SPEED;
const clock: HostClock = { ...realClock, now, sleep: (ms, signal) => realClock.sleep(ms / 5, signal) };

const { project, findings } = readProject(join(dir, "segno.yaml"), {});
if (!project) throw new Error(findings.map(({ message }) => message).join("\n"));
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
let chance = Number(seed);

/** One delivery every second of real time, the same for every worker. */
async function deliverDue(deliver: NonNullable<DoorOfWorker["deliver"]>): Promise<void> {
  const last = Math.floor((Math.min(Date.now(), Number(quietFrom)) - Number(began)) / 1000);
  for (let number = Math.max(0, last - 3); number <= last; number++) {
    const text = JSON.stringify({ number, key: `key${number % 3}` });
    const { status, body } = await deliver({
      path: "/hooks/chaos",
      headers: {
        "x-github-delivery": String(number),
        "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`,
      },
      body: Buffer.from(text),
    });
    if (status === 202) process.stdout.write(`${number} ${String(body.run_id)}\n`);
    chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648;
    // Between firing and starting: what it has just taken is on record, and nothing of its run is.
    if (status === 202 && !("duplicate" in body) && chance % 8 === 0 && Date.now() < Number(quietFrom)) {
      process.stdout.write("dies\n", () => process.kill(process.pid, "SIGKILL"));
      return;
    }
  }
}

process.exitCode = await runWorker({
  cwd: dir,
  env: process.env,
  project,
  clock,
  signal: stop.signal,
  said: (text) => process.stderr.write(`${text}\n`),
  trouble: (problem) => process.stderr.write(`trouble: ${String(problem)}\n`),
  openDoor: async ({ deliver }) => {
    if (!deliver) throw new Error("there are triggers");
    process.stdout.write("ready\n");
    const delivering = (async () => {
      while (!stop.signal.aborted) {
        await deliverDue(deliver).catch((problem) => process.stderr.write(`trouble: ${String(problem)}\n`));
        await realClock.sleep(100);
      }
    })();
    return { said: "delivering", close: () => delivering };
  },
});
process.exit();
