// The library on a fleet: a client, and resilience without workflows, by the address of a Postgres.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { createSegno, DeadLetterQueue, ErrorHandler, openStore, RetryPolicy, type Segno } from "../../../index.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const FILES = {
  "fine.yaml": `
workflow: { name: fine, entry_point: one, input: { who: { type: string } } }
steps: [{ name: one, type: set, values: { for_whom: "{{ workflow.input.who }}" } }]
output: { for_whom: "{{ one.output.for_whom }}" }
`,
  "slow.yaml": `
workflow: { name: slow, entry_point: one }
steps: [{ name: one, type: script, command: sleep, args: ["600"] }]
`,
  "ask.yaml": `
workflow: { name: ask, entry_point: may_we }
steps:
  - { name: may_we, type: human_gate, prompt: Ship it?, options: [{ label: Yes, value: ship, route: $end }] }
output: { chosen: "{{ may_we.output.selected }}" }
`,
  "fails.yaml": `
workflow:
  name: fails
  entry_point: one
  resilience: { retry: { max_retries: 0, retryable: ["shop.*"] }, dead_letter: true }
steps:
  - name: one
    type: script
    command: sh
    raises: [shop.busy]
    args: [-c, 'test -e fixed || echo "{\\"kind\\":\\"shop.busy\\",\\"message\\":\\"503\\"}" > "$SEGNO_ERROR_OUT"']
`,
};

async function clientOn(fleet: TestFleet): Promise<Segno> {
  await fleet.worker();
  return clientBeside(fleet);
}

/** On a fleet that may have no worker. */
function clientBeside(fleet: TestFleet): Segno {
  for (const [name, text] of Object.entries(FILES)) fleet.write(name, text);
  const env = { PATH: process.env.PATH, SEGNO_SEAL_KEY: SEAL_KEY, SEGNO_HOME: `${fleet.folder}/home` };
  const segno = createSegno({ store: fleet.url, cwd: fleet.folder, env });
  onTestFinished(() => segno.close());
  return segno;
}

describe.skipIf(!hasPostgres)("openStore with the address of a Postgres", () => {
  it("lists the runs of the fleet", async () => {
    const url = await freshDatabase();
    const runId = newRunId();
    const store = await openPostgresStore(url, { home: "/nonexistent" });
    await store.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
    await store.close();
    expect(await openStore(url).runs()).toMatchObject([{ run_id: runId, workflow: "w", status: "queued" }]);
  });
});

describe.skipIf(!hasPostgres)("a client on a fleet", () => {
  it("starts runs that workers drive, with their events and results", async () => {
    const segno = await clientOn(await TestFleet.start());
    const run = await segno.start<{ who: string }, { for_whom: string }>("fine.yaml", { inputs: { who: "kim" } });
    const types: string[] = [];
    for await (const event of run.events()) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(["workflow_started", "workflow_completed"]);
    expect(await run.result()).toMatchObject({ runId: run.id, status: "completed", output: { for_whom: "kim" } });
    expect((await segno.runs.list()).runs).toMatchObject([{ runId: run.id, status: "completed" }]);
    expect((await segno.runs.get(run.id)).toJSON()).toMatchObject({ run_id: run.id, output: { for_whom: "kim" } });
    const refused = await segno.start("fine.yaml").catch((problem: Error) => problem);
    expect(refused).toMatchObject({ name: "NotStartedError", result: { status: "invalid" } });
  });

  it("has a run as soon as it is recorded, also where no worker is there yet", async () => {
    const fleet = await TestFleet.start();
    const segno = clientBeside(fleet);
    const run = await segno.start("fine.yaml", { inputs: { who: "kim" } });
    expect(await segno.runs.get(run.id)).toMatchObject({ runId: run.id, status: "queued" });
    const types: string[] = [];
    const listened = (async () => {
      for await (const event of run.events()) types.push(event.type);
    })();
    await fleet.worker();
    expect(await run.result()).toMatchObject({ runId: run.id, status: "completed", output: { for_whom: "kim" } });
    await listened;
    expect([types[0], types.at(-1)]).toEqual(["workflow_started", "workflow_completed"]);
  });

  it("cancels a run that no worker has taken, and its events end", async () => {
    const segno = clientBeside(await TestFleet.start());
    const run = await segno.start("slow.yaml");
    const types: string[] = [];
    const listened = (async () => {
      for await (const event of run.events()) types.push(event.type);
    })();
    expect(await run.cancel()).toMatchObject({ runId: run.id, status: "cancelled" });
    await listened;
    const left = await segno.start("slow.yaml");
    await segno.close();
    expect(await left.result()).toMatchObject({ runId: left.id, status: "queued" });
  });

  it("does not take a run that is taken out of the queue for ended before its end is recorded", async () => {
    const fleet = await TestFleet.start();
    const segno = clientBeside(fleet);
    const run = await segno.start("slow.yaml");
    const store = await openPostgresStore(fleet.url, { home: "/nonexistent", sealKey: SEAL_KEY });
    expect(await store.fleet.stop(run.id)).toBe("taken out");
    await store.close();
    const result = run.result();
    expect(await Promise.race([result, run.cancel()])).toMatchObject({ status: "cancelled" });
    expect(await result).toMatchObject({ runId: run.id, status: "cancelled" });
  });

  it("cancels a run, which stays resumable", async () => {
    const segno = await clientOn(await TestFleet.start());
    const run = await segno.start("slow.yaml");
    expect(await run.cancel()).toMatchObject({ runId: run.id, status: "cancelled", checkpoint: { resumable: true } });
    expect(await segno.runs.get(run.id)).toMatchObject({ status: "cancelled" });
  });

  it("answers gates and retries letters", async () => {
    const fleet = await TestFleet.start();
    const segno = await clientOn(fleet);
    const paused = await segno.run("ask.yaml");
    expect(paused).toMatchObject({ status: "paused", gate: { nodeId: "may_we" } });
    expect((await segno.gates.list()).gates).toMatchObject([{ runId: paused.runId, prompt: "Ship it?" }]);
    expect(await segno.gates.answer(paused.runId ?? "", "ship")).toMatchObject({
      status: "completed",
      output: { chosen: "ship" },
    });
    const failed = await segno.run("fails.yaml");
    expect(failed).toMatchObject({ status: "failed", error: { kind: "shop.busy" } });
    const [letter] = (await segno.letters.list()).letters;
    expect(letter).toMatchObject({ runId: failed.runId, nodeId: "one", status: "open" });
    fleet.write("fixed", "");
    expect(await segno.letters.retry({ ids: [letter?.id ?? ""] })).toMatchObject({
      status: "completed",
      letters: [{ status: "resolved" }],
    });
  });
});

const OTHER = `
import { DeadLetterQueue, ErrorHandler, RetryPolicy } from ${JSON.stringify(pathToFileURL(resolve("dist/index.js")))};
const [store] = process.argv.slice(1);
const deadLetters = new DeadLetterQueue({ store });
const breakers = { failureThreshold: 2, recoverySeconds: 600, store };
const handler = new ErrorHandler({ retry: new RetryPolicy({ maxRetries: 0 }), breakers, deadLetters });
const down = () => { throw Object.assign(new Error("503"), { statusCode: 503 }); };
for (const taskId of ["t-1", "t-2"]) await handler.execute("http:api", down, { taskId }).catch(() => {});
const [first] = await deadLetters.list();
await deadLetters.retry(first.id, async () => {
  console.log("retrying");
  await new Promise((go) => process.stdin.once("data", go));
});
process.stdin.unref();
console.log("done");
`;

describe.skipIf(!hasPostgres)("resilience without workflows on a Postgres", () => {
  it("is shared by two processes, of which neither is kept alive by it", async () => {
    const store = await freshDatabase();
    const other = spawn(process.execPath, ["--input-type=module", "-e", OTHER, store], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void other.kill("SIGKILL"));
    const ended = new Promise((done) => other.once("exit", done));
    const lines = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("retrying");

    const handler = new ErrorHandler({
      retry: new RetryPolicy({ maxRetries: 0 }),
      breakers: { failureThreshold: 2, store },
      deadLetters: new DeadLetterQueue({ store, maxSize: 2 }),
    });
    onTestFinished(() => handler.close());
    expect((await handler.breaker("http:api").state).status).toBe("open");
    const letters = await handler.deadLetters.list();
    expect(letters.map(({ status, context }) => [status, context.taskId])).toEqual([
      ["retrying", "t-1"],
      ["open", "t-2"],
    ]);
    const [first] = letters;
    await expect(handler.deadLetters.retry(first?.id ?? "", () => "mine")).rejects.toThrow("is being retried");
    other.stdin.write("go\n");
    expect((await lines.next()).value).toBe("done");
    expect(await ended).toBe(0);
    await expect(handler.execute("http:api", () => "never", { taskId: "t-3" })).rejects.toThrow("is open");
    await until(async () => (await handler.deadLetters.size()) === 2);
    expect(
      await handler.deadLetters.retry((await handler.deadLetters.list())[1]?.id ?? "", (one) => one.context),
    ).toEqual({ agentId: "http:api", taskId: "t-3", attempt: 0 });
  });
});
