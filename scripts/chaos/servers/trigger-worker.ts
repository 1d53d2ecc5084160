// A worker of a fleet for chaos: all that `segno worker` does, but time runs twenty times as fast for its triggers, deliveries
// come in all the while, each to every worker, and now and then it dies right after it has taken one.
import { join } from "node:path";
import { runWorker } from "../../../src/features/fleet/work/worker.ts";
import { readProject } from "../../../src/services/project/read-project.ts";
import { realClock } from "../../../src/storage/clock.ts";
import { deliverDue } from "./deliveries.ts";
import { fastTime } from "./fast-time.ts";

const [dir = "", began = "0", quietFrom = "0", seed = "1"] = process.argv.slice(2);
const time = fastTime({ began: Number(began), quietFrom: Number(quietFrom), speed: 20, naps: 5 });
const { project, findings } = readProject(join(dir, "segno.yaml"), {});
if (!project) throw new Error(findings.map(({ message }) => message).join("\n"));
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
let chance = Number(seed);

/** Between firing and starting: what it has just taken is on record, and nothing of its run is. */
function diesPerhaps(): boolean {
  chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648;
  const dies = chance % 8 === 0 && !time.isQuiet();
  if (dies) process.stdout.write("dies\n", () => process.kill(process.pid, "SIGKILL"));
  return !dies;
}

process.exitCode = await runWorker(
  { cwd: dir, env: process.env },
  {
    project,
    clock: time.clock,
    signal: stop.signal,
    said: (text) => process.stderr.write(`${text}\n`),
    trouble: (problem) => process.stderr.write(`trouble: ${String(problem)}\n`),
    openDoor: async ({ deliver }) => {
      if (!deliver) throw new Error("there are triggers");
      process.stdout.write("ready\n");
      const deliveries = {
        time,
        everyMs: 1000,
        deliver,
        bodyOf: (number: number) => ({ number, key: `key${number % 3}` }),
        taken: diesPerhaps,
      };
      const delivering = (async () => {
        while (!stop.signal.aborted) {
          await deliverDue(deliveries).catch((problem) => process.stderr.write(`trouble: ${String(problem)}\n`));
          await realClock.sleep(100);
        }
      })();
      return { said: "delivering", close: () => delivering };
    },
  },
);
process.exit();
