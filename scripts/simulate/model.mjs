// A fleet as a model: runs are placed, wait in a queue, are taken by workers, and each of their steps is a turn of a worker's
// thread, a turn of the server, and a commit that waits for the disk. Discrete events on a clock of its own; what each takes
// is reckoned from what was measured (costs.mjs). No randomness but a seeded one, so the same question has the same answer.
import { Clock, Cores, Disk, quantile, seeded, Thread } from "./parts.mjs";

/** A worker looks so often at most when it hears of runs (`APART_MS` of the dispatcher). */
const APART_MS = 10;

/** Nothing takes the same time twice: so much more or less. */
const VARIES = 0.5;
/** So late a timer of the one who places at even distances may be. */
const TIMER_MS = 1;

/** A worker: one thread, so many runs at a time, and when it looks for more, as `dispatcher.ts` decides it. */
class Worker {
  #fleet;
  #cores;
  #thread;
  #free;
  #isWanted = false;
  #isMore = false;
  #isLooking = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(fleet, cores, concurrency) {
    this.#fleet = fleet;
    this.#cores = cores;
    this.#thread = new Thread(cores);
    this.#free = concurrency;
  }

  /** It heard that there may be something in the queue. */
  look() {
    this.#isWanted = true;
    if (this.#isLooking || this.#free === 0) return;
    this.#isLooking = true;
    const { clock } = this.#fleet;
    const early = this.#isMore ? 0 : Math.max(0, this.#lookedAt + APART_MS - clock.now);
    clock.after(early, () => this.#take());
  }

  #take() {
    const { clock, costs, server, queue } = this.#fleet;
    const { worker: w, server: d } = costs;
    if (this.#free === 0) {
      this.#isLooking = false;
      return;
    }
    this.#isWanted = false;
    this.#lookedAt = clock.now;
    this.#work(w.look_ms, () => {
      const most = this.#free;
      const taken = queue.splice(0, most);
      const done = () => {
        this.#isLooking = false;
        this.#isMore = taken.length >= most;
        this.#free -= taken.length;
        for (const run of taken) this.#begin(run);
        if (this.#isMore || this.#isWanted) this.look();
      };
      if (taken.length === 0) server.answer(d.look_ms, done);
      else server.write(d.look_ms + d.take_ms * taken.length, done);
    });
  }

  #begin(run) {
    const { costs, server, steps, began } = this.#fleet;
    const { worker: w, server: d } = costs;
    this.#work(w.begin_ms, () =>
      server.write(
        d.begin_ms,
        () => this.#step(run, steps),
        () => began(run),
      ),
    );
  }

  #step(run, left) {
    const { costs, server, ended } = this.#fleet;
    const { worker: w, server: d } = costs;
    if (left > 0) return this.#work(w.step_ms, () => server.write(d.step_ms, () => this.#step(run, left - 1)));
    this.#work(w.end_ms, () =>
      server.write(d.end_ms, () => {
        ended();
        this.#free++;
        if (this.#isWanted || this.#isMore) this.look();
      }),
    );
  }

  /** Beside the thread that does one thing after the other, others of the process collect garbage and compile. */
  #work(ms, done) {
    const { used, costs, varied } = this.#fleet;
    const took = varied(ms);
    used.worker += took;
    const aside = took * costs.worker.aside;
    this.#thread.do(took - aside, done);
    this.#cores.serve(aside, () => {});
  }
}

/** A process that places runs, and tells the workers of them. */
class Placer {
  #fleet;
  #thread;
  #workers;
  /** Runs that were placed since the last notice left. */
  #untold = 0;
  #isTelling = false;

  constructor(fleet, cores, workers) {
    this.#fleet = fleet;
    this.#thread = new Thread(cores);
    this.#workers = workers;
  }

  place() {
    const { clock, costs, server, queue } = this.#fleet;
    const { client: c, server: d } = costs;
    const run = { asked: clock.now };
    this.#thread.do(c.place_ms * (1 - c.late), () =>
      server.answer(d.place_ms * (1 - c.late), () => {
        run.placed = clock.now;
        this.#thread.do(c.place_ms * c.late, () =>
          server.write(d.place_ms * c.late, () => {
            queue.push(run);
            this.#untold++;
            this.#tell();
          }),
        );
      }),
    );
  }

  /** One notice is on its way at a time; what comes meanwhile goes together. */
  #tell() {
    if (this.#isTelling || this.#untold === 0) return;
    const { clock, costs, server, listeners } = this.#fleet;
    this.#isTelling = true;
    this.#untold = 0;
    server.notify(costs.server.tell_ms + costs.server.hear_ms * listeners, () => {
      this.#isTelling = false;
      clock.after(costs.notice_ms, () => {
        for (const worker of this.#workers) worker.look();
      });
      this.#tell();
    });
  }
}

/** The server of a cell: statements on its cores, and commits on its disk. A statement and its answer cross the network. */
class Server {
  notices = [];

  constructor({ clock, cores, disk, networkMs, used, varied }) {
    Object.assign(this, { clock, cores, disk, networkMs, used, varied });
  }

  answer(ms, done) {
    const took = this.varied(ms);
    this.used.server += took;
    this.clock.after(this.networkMs / 2, () =>
      this.cores.serve(took, () => this.clock.after(this.networkMs / 2, done)),
    );
  }

  /** Those that notify commit one after the other, each with its wait for the disk. */
  notify(ms, done) {
    this.answer(ms, () => {
      this.notices.push(done);
      if (this.notices.length === 1) this.#nextNotice();
    });
  }

  #nextNotice() {
    const [done] = this.notices;
    if (!done) return;
    this.disk.commit(() => {
      this.notices.shift();
      done();
      this.#nextNotice();
    });
  }

  /** `executed`: it is done, and waits for the disk. */
  write(ms, done, executed = () => {}) {
    this.answer(ms, () => {
      executed();
      this.disk.commit(done);
    });
  }
}

/**
 * One cell.
 *
 * `costs`: what each part takes (costs.mjs). `workers`, `concurrency`, `steps`. `rate`: runs a second, which come at even distances or at
 * random moments, for `seconds`; without a rate, `backlog` runs that wait already. `cores` of the server; `sharedCores`:
 * workers, server and the one who places have these together, as on the machine that was measured. `networkMs`: there and
 * back. `restart`: at which second the database is away, and for how long.
 */
export function simulate({
  costs,
  workers,
  listeners = workers,
  steps,
  rate,
  arrivals = "random",
  backlog = 0,
  seconds = 20,
  concurrency = 8,
  cores,
  sharedCores,
  networkMs = 0,
  flushMs = costs.flush_ms,
  restart,
  placers = 1,
  seed = 1,
}) {
  const clock = new Clock();
  const random = seeded(seed);
  const used = { worker: 0, server: 0 };
  const shared = sharedCores === undefined ? undefined : new Cores(sharedCores, clock);
  const serverCores = shared ?? new Cores(cores, clock);
  const disk = new Disk(flushMs, clock);
  const crowded = shared && workers > sharedCores ? costs.crowded : 1;
  const varied = (ms) => ms * crowded * (1 - VARIES + 2 * VARIES * random());
  const server = new Server({ clock, cores: serverCores, disk, networkMs, used, varied });
  const queue = [];
  const waits = [];
  const turns = { ended: 0, lastEnd: 0, longest: 0 };
  const began = (run) => {
    waits.push(clock.now - run.placed);
    turns.longest = Math.max(turns.longest, clock.now - run.asked);
  };
  const ended = () => {
    turns.ended++;
    turns.lastEnd = clock.now;
  };
  const fleet = { clock, costs, listeners, varied, server, queue, steps, used, began, ended };
  const all = Array.from({ length: workers }, () => new Worker(fleet, shared ?? new Cores(1, clock), concurrency));
  const tellers = Array.from({ length: placers }, () => new Placer(fleet, shared ?? new Cores(1, clock), all));

  if (backlog > 0) {
    for (let n = 0; n < backlog; n++) queue.push({ asked: 0, placed: 0 });
    for (const worker of all) worker.look();
  }
  if (rate !== undefined)
    for (let at = 0, placing = 0; at < seconds * 1000; ) {
      const placer = tellers[placing++ % placers];
      clock.at(at + (arrivals === "even" ? random() * TIMER_MS : 0), () => placer.place());
      at += arrivals === "even" ? 1000 / rate : (-Math.log(1 - random()) * 1000) / rate;
    }
  if (restart) clock.at(restart.at * 1000, () => serverCores.pause((restart.at + restart.seconds) * 1000));
  clock.run(rate === undefined ? undefined : seconds * 4000);

  waits.sort((a, b) => a - b);
  const span = Math.max(turns.lastEnd, 1) / 1000;
  return {
    ended: turns.ended,
    perSecond: turns.ended / span,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    longest: turns.longest,
    serverCores: used.server / 1000 / span,
    workerCores: used.worker / 1000 / span,
    commits: disk.commits / span,
    flushes: disk.flushes / span,
  };
}
