// The workers of a tormented fleet, and what befalls them: killed, stopped for a moment or for too long, asked to leave.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const WORKERS = 3;
export const DEAD_MS = 3000;

const HOUR_MS = 3_600_000;

/** Of one worker after the other, when their clocks are apart. */
const CLOCKS = [HOUR_MS, 0, -HOUR_MS].map((ms) => ({
  CHAOS_CLOCK_MS: String(ms),
  NODE_OPTIONS: `--require=${JSON.stringify(resolve("scripts/chaos/fleet/wrong-clock.cjs"))}`,
}));

/** What a database knows of a worker, by the id of its process. */
export function tellOf(database) {
  const ofPid = "from segno.workers w where (w.labels::jsonb ->> 'pid')::int = $1";
  return {
    held: (pid) =>
      database.rows(
        `select r.run_id as run, l.holder as from from segno.leases l join segno.runs r using (run_id)
         where not r.drive_ended and l.holder in (select w.worker ${ofPid})`,
        [pid],
      ),
    isDead: async (pid) => (await database.rows(`select 1 ${ofPid} and w.dead`, [pid])).length > 0,
  };
}

/** `tell.held(pid)` gives the runs that a worker has; `tell.isDead(pid)` whether the others gave it up. */
export class Workers {
  kills = 0;
  stops = 0;
  leaves = 0;
  /** `{ pid, at }`: woke up after the others had given it up. */
  woken = [];
  /** `{ run, from, at }`: what somebody has to adopt, since when. */
  orphans = [];
  #random;
  #start;
  #tell;
  #workers = [];
  #all = [];
  #waking = new Set();
  #isOver = false;

  constructor(random, { program, cwd, env, tell, concurrency, areApart = false }) {
    this.#random = random;
    this.#tell = tell;
    this.#start = () => {
      const child = spawn(
        process.execPath,
        [program, "worker", ...(concurrency ? ["--concurrency", `${concurrency}`] : [])],
        {
          cwd,
          env: { ...env, ...(areApart ? CLOCKS[this.#all.length % CLOCKS.length] : {}) },
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      child.isThere = new Promise((done) => {
        child.stderr.on("data", (text) => String(text).includes("runs at a time") && done());
        child.once("exit", done);
      });
      // One that was given up ends, and whoever runs it starts it again.
      child.once("exit", () => {
        const at = this.#workers.indexOf(child);
        if (at !== -1 && !this.#isOver) this.#workers[at] = this.#start();
      });
      this.#all.push(child);
      return child;
    };
  }

  async begin() {
    this.#workers = Array.from({ length: WORKERS }, this.#start);
    await Promise.all(this.#workers.map(({ isThere }) => isThere));
  }

  async mishap() {
    const which = this.#random.between(0, WORKERS - 1);
    const victim = this.#workers[which];
    const how = this.#random.pick(["kill", "kill", "stop", "stop", "doze", "leave"]);
    // One that is still starting has nothing to lose.
    await victim.isThere;
    if (how === "doze") return this.#stop(victim, pause(this.#random.between(200, DEAD_MS / 2)));
    if (how === "leave") {
      this.#workers[which] = this.#start();
      this.leaves += 1;
      victim.kill("SIGTERM");
      return;
    }
    await this.#lose(which, how);
  }

  /** Kills or stops one that has runs, or any when nobody has for long; another is started in its place. */
  async lose(how) {
    for (const end = Date.now() + 2 * DEAD_MS; ; ) {
      const which = this.#random.between(0, WORKERS - 1);
      const victim = this.#workers[which];
      await victim.isThere;
      if ((await this.#tell.held(victim.pid)).length > 0 || Date.now() > end)
        return this.#lose(which, how, () => this.#isGivenUp(victim));
      await pause(50);
    }
  }

  async #isGivenUp({ pid }) {
    const end = Date.now() + 10 * DEAD_MS;
    while (!(await this.#tell.isDead(pid)) && Date.now() < end) await pause(100);
  }

  async #lose(which, how, isLong = () => pause(DEAD_MS + this.#random.between(1000, 3000))) {
    const victim = this.#workers[which];
    this.#workers[which] = this.#start();
    if (how === "stop") this.#stop(victim, isLong());
    else {
      this.kills += 1;
      victim.kill("SIGKILL");
    }
    const at = Date.now();
    for (const { run, from } of await this.#tell.held(victim.pid)) this.orphans.push({ run, from, at, how });
  }

  #stop(victim, isLong) {
    this.stops += 1;
    victim.kill("SIGSTOP");
    const wake = async () => {
      await isLong;
      const isDead = await this.#tell.isDead(victim.pid);
      if (isDead) this.woken.push({ pid: victim.pid, at: Date.now() });
      victim.kill("SIGCONT");
    };
    this.#waking.add(wake());
  }

  /** Nobody is left asleep. */
  awake() {
    return Promise.all(this.#waking);
  }

  end() {
    this.#isOver = true;
    for (const worker of this.#all) worker.kill("SIGKILL");
  }
}
