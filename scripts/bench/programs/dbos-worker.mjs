// A worker of DBOS alone, for workflows of ten steps in a queue.
//
//   node dbos-worker.mjs URL     says that it is there, and works until it is killed
import { DBOS } from "@dbos-inc/dbos-sdk";

DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.argv[2], logLevel: "error" });
DBOS.registerWorkflow(
  async () => {
    for (let n = 0; n < 10; n++) await DBOS.runStep(async () => ({ done: true }), { name: `s${n}` });
  },
  { name: "ten" },
);
await DBOS.launch();
await DBOS.registerQueue("bench", { workerConcurrency: 8, minPollingIntervalMs: 100 });
console.log("ready");
