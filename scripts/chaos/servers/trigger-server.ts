// A server of triggers, as small as it can be, for chaos: time runs sixty times as fast, and deliveries come in all the
// while, each to every server.
import { join } from "node:path";
import { TriggerDriver } from "../../../src/features/triggers/driver.ts";
import { readProject } from "../../../src/services/project/read-project.ts";
import { BackgroundRuns } from "../../../src/services/runs/background.ts";
import { storeFor } from "../../../src/services/session/store.ts";
import { realClock } from "../../../src/storage/clock.ts";
import { deliverDue } from "./deliveries.ts";
import { fastTime } from "./fast-time.ts";

const [dir = "", home = "", began = "0", until = "0", quietFrom = "0"] = process.argv.slice(2);
const time = fastTime({ began: Number(began), quietFrom: Number(quietFrom), speed: 60, naps: 10 });
const { project, findings } = readProject(join(dir, "segno.yaml"), {});
if (!project) throw new Error(findings.map(({ message }) => message).join("\n"));
const session = { cwd: dir, env: { PATH: process.env.PATH }, home };
const driver = await TriggerDriver.open({
  project,
  session,
  clock: time.clock,
  runs: new BackgroundRuns(),
  trouble: (problem) => process.stderr.write(`${String(problem)}\n`),
});
const deliveries = {
  time,
  everyMs: 500,
  deliver: driver.deliver.bind(driver),
  bodyOf: (number: number) => ({ number }),
};

process.stdout.write("ready\n");

const store = await storeFor(session);
const isDone = async (): Promise<boolean> =>
  time.isQuiet() && ((await store.state.firings?.list({ status: "fired", limit: 1 })) ?? []).length === 0;

while (Date.now() < Number(until) && !(await isDone())) {
  await deliverDue(deliveries);
  await driver.round();
  await realClock.sleep(50);
}
await driver.idle();
await driver.close();
await store.close();
