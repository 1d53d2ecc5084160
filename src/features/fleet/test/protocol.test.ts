// The protocol that keeps two workers from driving one run, part by part; and that each part is needed: left out, what it
// holds does not hold any more.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { later } from "../../../../test/support/later.ts";
import { output } from "../../../../test/support/stores/store-maker.ts";
import { until } from "../../../../test/support/until.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { newRunId } from "../../../storage/run-index.ts";
import { LeaseLost } from "../../../storage/store-error.ts";
import { type Mutant, mutants } from "../postgres/lease.ts";
import { postgresWorkers } from "../postgres/queue/worker.ts";
import { openPostgresStore, type PostgresStore } from "../postgres/store.ts";
import { Drives } from "../work/drives.ts";
import { workerSettings } from "../work/workers.ts";
import { freshDatabase, hasPostgres } from "./cluster.ts";
import { type LossyProxy, lossyProxy } from "./lossy-proxy.ts";

afterEach(() => mutants.clear());

interface Scene {
  readonly url: string;
  readonly one: PostgresStore;
  readonly two: PostgresStore;
  readonly runId: string;
  /** Lets so much time pass by the database's clock. */
  pass(ms: number): void;
}

async function scene(
  way: (url: string) => Promise<string> = async (url) => url,
  silenceMs: number | undefined = undefined,
): Promise<Scene> {
  const url = await freshDatabase();
  let now = 1_000_000;
  const open = async (name: string, address: string): Promise<PostgresStore> => {
    const store = await openPostgresStore(address, {
      home: "/nonexistent",
      clock: () => now,
      ...(silenceMs === undefined ? {} : { silenceMs }),
      worker: { name, concurrency: 1, protocol: "1" },
    });
    onTestFinished(() => store.close());
    await store.access.members.self();
    return store;
  };
  const one = await open("one", await way(url));
  const two = await open("two", url);
  const runId = newRunId();
  await one.fleet.begin({ runId, workflow: "w", file: "/w.yaml", durability: "process" }, { request: {} });
  return {
    url,
    one,
    two,
    runId,
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Longer than anybody is waited for. */
const D = 10_001;

const TWO_STEPS = `
workflow: { name: steps, entry_point: first }
agents:
  - { name: first, type: script, command: touch, args: [first], routes: [{ to: second }] }
  - { name: second, type: script, command: touch, args: [second] }
`;

/** Each gives whether the protocol held. */
const CHECKS: Readonly<Record<Exclude<Mutant, "no-reconciler">, () => Promise<boolean>>> = {
  // A worker that was given up writes nothing more, though nobody has taken its run yet.
  "no-fence": async () => {
    const { one, two, runId, pass } = await scene();
    const drive = await one.openDrive(runId, 1);
    await drive?.log.append([output(1, "mine")]);
    pass(D);
    await two.access.members.beat();
    expect(await two.access.members.sweep()).toEqual([one.access.members.name]);
    return drive!.log.append([output(2, "mine")]).then(
      () => false,
      (problem) => problem instanceof LeaseLost,
    );
  },
  // A worker that stood still, was given up and wakes up, takes nothing.
  "no-life": async () => {
    const { one, two, runId, pass } = await scene();
    pass(D);
    await two.access.members.beat();
    await two.access.members.sweep();
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
  // A worker that heard late of what it wrote begins nothing after it, when another has taken the run meanwhile.
  "no-second-look": async () => {
    let proxy: LossyProxy | undefined;
    const { one, two, runId } = await scene(async (url) => {
      proxy = await lossyProxy(url);
      onTestFinished(() => proxy?.close());
      return proxy.url;
    });
    const drive = await one.openDrive(runId, 1);
    const release = proxy!.holdAnswers();
    const written = drive!.log.append([output(1, "mine")]).then(
      () => false,
      (problem) => problem instanceof LeaseLost,
    );
    const { database } = two.access;
    await until(
      async () => (await database.rows("select 1 from segno.events where run_id = $1", [runId])).length === 1,
    );
    await two.openDrive(runId, 1);
    later(D);
    release();
    return written;
  },
  // A worker on a busy machine beats late: it does so before it begins a step, so that nobody gives it up right after that.
  "no-beat-before-step": async () => {
    const { one, two, runId, pass } = await scene();
    const drive = await one.openDrive(runId, 1);
    later(D);
    pass(9000);
    await two.access.members.beat();
    await drive!.log.append([output(1, "mine")]);
    pass(2000);
    const givenUp = await two.access.members.sweep();
    const begins = drive!.log.assertLease() === undefined;
    return givenUp.length === 0 || !begins;
  },
};

/** The epoch is raised by each who takes the run. */
async function epochsDiffer({ access }: PostgresStore, runId: string): Promise<boolean> {
  const rows = await access.database.rows<{ epoch: string }>("select epoch from segno.leases where run_id = $1", [
    runId,
  ]);
  return Number(rows[0]?.epoch) === 2;
}

/** What one side of a test waits for and the other brings about. */
function moment(): { readonly came: Promise<void>; readonly come: () => void } {
  let come = (): void => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come };
}

describe.skipIf(!hasPostgres)("what keeps two workers from driving one run", () => {
  it.each(Object.entries(CHECKS))("holds, and not without its part: %s", async (mutant, check) => {
    expect(await check()).toBe(true);
    mutants.add(mutant as Mutant);
    expect(await check()).toBe(false);
  });

  it("a worker that stood still after it wrote begins nothing, when another has taken the run meanwhile", async () => {
    const { one, two, runId } = await scene();
    const drive = await one.openDrive(runId, 1);
    await drive!.log.append([output(1, "mine")]);
    later(D);
    // Nobody has: it looks, and goes on.
    await drive!.log.assertLease();
    await two.openDrive(runId, 1);
    later(D);
    await expect(drive!.log.assertLease()).rejects.toThrow(LeaseLost);
  });

  it("a drive that is suspended after a commit does not start the next step when another worker has taken the run", async () => {
    const { url, one, two } = await scene();
    const folder = mkdtempSync(join(tmpdir(), "segno-suspended-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "steps.yaml");
    writeFileSync(file, TWO_STEPS);
    const env = { PATH: process.env.PATH ?? "" };
    const here = { cwd: folder, env, home: join(folder, "home") };
    const { run_id } = await runWorkflow({ ...here, fleet: url }, { file, inputs: {} }, { detach: true });
    let wasSuspended = false;
    const openDrive = one.openDrive.bind(one);
    one.openDrive = async (runId, drive) => {
      const taken = await openDrive(runId, drive);
      const append = taken!.log.append.bind(taken!.log);
      taken!.log.append = async (events, ...rest) => {
        await append(events, ...rest);
        if (!events.some(({ type, data }) => type === "agent_started" && data.agent_name === "second")) return;
        await two.openDrive(runId, drive);
        later(D);
        wasSuspended = true;
      };
      return taken;
    };
    const drives = new Drives(postgresWorkers, workerSettings({}), here, () => {});
    await drives.drive(one, run_id ?? "", 1);
    expect(wasSuspended).toBe(true);
    expect(existsSync(join(folder, "first"))).toBe(true);
    expect(existsSync(join(folder, "second"))).toBe(false);
  });

  it("what a worker locked that stands still is free before it is given up", async () => {
    const { one, two, runId } = await scene(undefined, 6000);
    const [locked, woken] = [moment(), moment()];
    const lost = new Promise<void>((resolve) => {
      const standing = one.access.database.transactionNow(async (sql) => {
        await sql.run("update segno.runs set stop_requested = false where run_id = $1", [runId]);
        // Stopped here: it says nothing more, neither that it is done nor that it is not.
        locked.come();
        await woken.came;
        await sql.rows("select 1");
      });
      standing.catch(() => resolve());
    });
    await locked.came;
    expect(await two.fleet.stop(runId)).toBe("taken out");
    woken.come();
    await lost;
  });

  it("everybody is judged by the silence that they set themselves, whatever whoever looks on is used to", async () => {
    const url = await freshDatabase();
    let now = 1_000_000;
    const open = async (name: string, silenceMs?: number): Promise<PostgresStore> => {
      const options = { home: "/nonexistent", clock: () => now, ...(silenceMs === undefined ? {} : { silenceMs }) };
      const store = await openPostgresStore(url, { ...options, worker: { name, concurrency: 1, protocol: "1" } });
      onTestFinished(() => store.close());
      await store.access.members.self();
      return store;
    };
    const quick = await open("quick", 3000);
    const patient = await open("patient", 30_000);
    const looking = await openPostgresStore(url, { home: "/nonexistent", clock: () => now });
    onTestFinished(() => looking.close());
    const { members } = looking.access;
    const listed = async () => (await looking.fleet.workers()).map(({ id }) => id.split(":")[0]);
    expect(await listed()).toEqual(["patient", "quick"]);
    now += 3001;
    expect(await listed()).toEqual(["patient"]);
    expect(await members.isAlive(quick.access.members.name)).toBe(false);
    expect(await members.sweep()).toEqual([quick.access.members.name]);
    now += D;
    expect(await members.sweep()).toEqual([]);
    expect(await members.isAlive(patient.access.members.name)).toBe(true);
  });

  it("who has left, or has been dead for long, is not kept, and a sweep that finds nothing to do takes no lock", async () => {
    const { one, two, runId, pass } = await scene();
    const { database, members } = two.access;
    const rows = () => database.rows("select worker, dead from segno.workers order by worker");
    const transactions = vi.spyOn(database, "transactionNow");
    await one.openDrive(runId, 1);
    expect(await members.sweep()).toEqual([]);
    expect(transactions).not.toHaveBeenCalled();
    pass(D);
    await members.beat();
    await members.sweep();
    expect(await rows()).toMatchObject([{ dead: true }, { dead: false }]);
    pass(3_600_000);
    await members.beat();
    await members.sweep();
    expect(await rows()).toEqual([{ worker: members.name, dead: false }]);
    // One that wakes up after that is as dead as before.
    expect((await one.access.members.beat()).dead).toBe(true);
    await expect(one.openDrive(runId, 1)).rejects.toThrow("sent no heartbeat");
    await members.leave();
    expect(await rows()).toEqual([]);
  });

  it("nobody is given up by who looked before the database was away, and would find all silent after it", async () => {
    let proxy: LossyProxy | undefined;
    const { one, two, pass } = await scene(async (url) => {
      proxy = await lossyProxy(url);
      onTestFinished(() => proxy?.close());
      return proxy.url;
    });
    pass(D);
    await one.access.members.beat();
    proxy!.loseNextAnswer();
    await expect(one.access.members.sweep()).rejects.toThrow(/cannot be reached/);
    expect((await two.access.members.beat()).dead).toBe(false);
  });
});
