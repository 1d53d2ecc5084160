// A server of triggers, as small as it can be, for chaos: time runs sixty times as fast, and deliveries come in all the
// while, each to every server.
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { type HostClock, realClock } from "../../../src/hosts/clock.ts";
import { BackgroundRuns } from "../../../src/services/background.ts";
import { readProject } from "../../../src/services/project/read-project.ts";
import { storeFor } from "../../../src/services/store.ts";
import { TriggerDriver } from "../../../src/services/triggers/driver.ts";

const [dir = "", home = "", began = "0", until = "0", quietFrom = "0"] = process.argv.slice(2);
const SPEED = 60;
const SECRET = "chaos";
const EPOCH = Date.parse("2026-11-15T00:00:00Z");
/** Stands still at the end, so that what was fired can be finished. */
const now = (): number => EPOCH + (Math.min(Date.now(), Number(quietFrom)) - Number(began)) * SPEED;

const clock: HostClock = { ...realClock, now, sleep: (ms, signal) => realClock.sleep(ms / 10, signal) };
const { project, findings } = readProject(join(dir, "segno.yaml"), {});
if (!project) throw new Error(findings.map(({ message }) => message).join("\n"));
const surroundings = { cwd: dir, env: { PATH: process.env.PATH }, home };
const driver = await TriggerDriver.open({
  project,
  surroundings,
  clock,
  runs: new BackgroundRuns(),
  trouble: (problem) => process.stderr.write(`${String(problem)}\n`),
});

process.stdout.write("ready\n");

/** One delivery every half second of real time, the same for every server. */
async function deliverDue(): Promise<void> {
  const last = Math.floor((Math.min(Date.now(), Number(quietFrom)) - Number(began)) / 500);
  for (let number = Math.max(0, last - 3); number <= last; number++) {
    const text = JSON.stringify({ number });
    const { status, body } = await driver.deliver({
      path: "/hooks/chaos",
      headers: {
        "x-github-delivery": String(number),
        "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`,
      },
      body: Buffer.from(text),
    });
    if (status === 202) process.stdout.write(`${number} ${String(body.run_id)}\n`);
  }
}

const store = await storeFor(surroundings);
const isDone = async (): Promise<boolean> =>
  Date.now() > Number(quietFrom) &&
  ((await store.state.firings?.list({ status: "fired", limit: 1 })) ?? []).length === 0;

while (Date.now() < Number(until) && !(await isDone())) {
  await deliverDue();
  await driver.round();
  await realClock.sleep(50);
}
await driver.idle();
await driver.close();
await store.close();
