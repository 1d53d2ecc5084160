// The workers of a tormented fleet, and what befalls them: killed, stopped for a moment or for too long, asked to leave.
import { spawn } from "node:child_process";

export const WORKERS = 3;
export const DEAD_MS = 3000;

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

  constructor(random, { program, cwd, env, tell }) {
    this.#random = random;
    this.#tell = tell;
    this.#start = () => {
      const child = spawn(process.execPath, [program, "worker"], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
      child.isThere = new Promise((done) => {
        child.stderr.on("data", (text) => String(text).includes("runs at a time") && done());
        child.once("exit", done);
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
    if (how === "doze") return this.#stop(victim, this.#random.between(200, DEAD_MS / 2));
    this.#workers[which] = this.#start();
    if (how === "leave") {
      this.leaves += 1;
      victim.kill("SIGTERM");
      return;
    }
    if (how === "stop") await this.#stop(victim, DEAD_MS + this.#random.between(1000, 3000));
    else {
      this.kills += 1;
      victim.kill("SIGKILL");
    }
    const at = Date.now();
    for (const { run, from } of await this.#tell.held(victim.pid)) this.orphans.push({ run, from, at });
  }

  #stop(victim, forMs) {
    this.stops += 1;
    victim.kill("SIGSTOP");
    const waking = new Promise((done) => {
      setTimeout(async () => {
        const isDead = await this.#tell.isDead(victim.pid);
        if (isDead) this.woken.push({ pid: victim.pid, at: Date.now() });
        victim.kill("SIGCONT");
        done();
      }, forMs);
    });
    this.#waking.add(waking);
  }

  /** Nobody is left asleep. */
  awake() {
    return Promise.all(this.#waking);
  }

  end() {
    for (const worker of this.#all) worker.kill("SIGKILL");
  }
}
