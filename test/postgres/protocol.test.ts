// The protocol that keeps two workers from driving one run, part by part; and that each part is needed: left out, what it
// holds does not hold any more.
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";
import { output } from "../../src/hosts/conformance/store-maker.ts";
import { type Mutant, mutants } from "../../src/hosts/postgres/mutants.ts";
import { openPostgresStore, type PostgresStore } from "../../src/hosts/postgres/store.ts";
import { newRunId } from "../../src/hosts/run-id.ts";
import { LeaseLost } from "../../src/hosts/store-error.ts";
import { cluster, hasPostgres } from "./cluster.ts";
import { lossyProxy } from "./lossy-proxy.ts";

afterEach(() => mutants.clear());

interface Scene {
  readonly one: PostgresStore;
  readonly two: PostgresStore;
  readonly runId: string;
  /** Lets so much time pass by the database's clock. */
  pass(ms: number): void;
}

async function scene(way: (url: string) => Promise<string> = async (url) => url): Promise<Scene> {
  const url = await (await cluster()).database();
  let now = 1_000_000;
  const open = async (name: string, address: string): Promise<PostgresStore> => {
    const store = await openPostgresStore(address, {
      home: "/nonexistent",
      clock: () => now,
      worker: { name, concurrency: 1, protocol: "1" },
    });
    onTestFinished(() => store.close());
    await store.surrounding.members.self();
    return store;
  };
  const one = await open("one", await way(url));
  const two = await open("two", url);
  const runId = newRunId();
  await one.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
  return {
    one,
    two,
    runId,
    pass: (ms) => {
      now += ms;
    },
  };
}

const D = 10_001;

/** Each gives whether the protocol held. */
const CHECKS: Readonly<Record<Exclude<Mutant, "no-reconciler">, () => Promise<boolean>>> = {
  // A worker that was given up writes nothing more, though nobody has taken its run yet.
  "no-fence": async () => {
    const { one, two, runId, pass } = await scene();
    const drive = await one.openDrive(runId, 1);
    await drive?.log.append([output(1, "mine")]);
    pass(D);
    await two.surrounding.members.beat();
    expect(await two.surrounding.members.sweep()).toEqual([one.surrounding.members.name]);
    return drive!.log.append([output(2, "mine")]).then(
      () => false,
      (problem) => problem instanceof LeaseLost,
    );
  },
  // A worker that stood still, was given up and wakes up, takes nothing.
  "no-life": async () => {
    const { one, two, runId, pass } = await scene();
    pass(D);
    await two.surrounding.members.beat();
    await two.surrounding.members.sweep();
    return one.openDrive(runId, 1).then(
      () => false,
      (problem) => (problem as Error).name === "GivenUp",
    );
  },
  // Who had the run before cannot write once another has taken it.
  "plain-take": async () => {
    const { one, two, runId } = await scene();
    const first = await one.openDrive(runId, 1);
    const second = await two.openDrive(runId, 1);
    await second?.log.append([output(1, "theirs")]);
    const written = await first!.log.append([output(1, "mine")]).then(
      () => "written",
      () => "refused",
    );
    const late = await second!.log.append([output(2, "theirs")]).then(
      () => "written",
      () => "refused",
    );
    return written === "refused" && late === "written" && (await epochsDiffer(two, runId));
  },
  // A row whose answer was lost is found to be one's own, and the run goes on.
  "no-own-row": async () => {
    const proxies: Awaited<ReturnType<typeof lossyProxy>>[] = [];
    const { one, runId } = await scene(async (url) => {
      proxies.push(await lossyProxy(url));
      onTestFinished(() => proxies[0]!.close());
      return proxies[0]!.url;
    });
    const drive = await one.openDrive(runId, 1);
    await drive!.log.append([output(1, "a")]);
    proxies[0]!.loseNextAnswer();
    const isOwn = await drive!.log.append([output(2, "b")]).then(
      () => true,
      () => false,
    );
    return isOwn && drive!.log.lastSeq === 2;
  },
};

/** The epoch is raised by each who takes the run. */
async function epochsDiffer({ surrounding }: PostgresStore, runId: string): Promise<boolean> {
  const rows = await surrounding.database.rows<{ epoch: string }>("select epoch from segno.leases where run_id = $1", [
    runId,
  ]);
  return Number(rows[0]?.epoch) === 2;
}

describe.skipIf(!hasPostgres)("what keeps two workers from driving one run", () => {
  afterAll(async () => (await cluster()).close());

  it.each(Object.entries(CHECKS))("holds, and not without its part: %s", async (mutant, check) => {
    expect(await check()).toBe(true);
    mutants.add(mutant);
    expect(await check()).toBe(false);
  });
});
