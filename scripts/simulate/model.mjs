// A fleet as a model: runs are placed, wait in a queue, are taken by workers, and each of their steps is a turn of a worker's
// thread, a turn of the server, and a commit that waits for the disk. Discrete events on a clock of its own; what each takes
// is measured (figures.json). No randomness but a seeded one, so the same question has the same answer.

/** Jobs that wait for one of so many servers, first come, first served. */
class Station {
  #free;
  #waiting = [];
  busyMs = 0;

  constructor(servers, clock) {
    this.#free = servers;
    this.clock = clock;
  }

  /** Calls `done` when it has been served for so long. */
  serve(ms, done) {
    this.#waiting.push({ ms, done });
    this.#next();
  }

  /** Nobody is served until then: the database restarts. */
  pause(until) {
    this.pausedUntil = until;
    this.clock.at(until, () => this.#next());
  }

  #next() {
    while (this.#free > 0 && this.#waiting.length > 0 && !(this.pausedUntil > this.clock.now)) {
      const { ms, done } = this.#waiting.shift();
      this.#free--;
      this.busyMs += ms;
      this.clock.after(ms, () => {
        this.#free++;
        done();
        this.#next();
      });
    }
  }
}

/** Does one thing after the other, on cores that others may use as well. */
class Thread {
  #waiting = [];
  #isBusy = false;

  constructor(cores) {
    this.cores = cores;
  }

  do(ms, done) {
    this.#waiting.push({ ms, done });
    this.#next();
  }

  #next() {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    const { ms, done } = this.#waiting.shift();
    this.cores.serve(ms, () => {
      this.#isBusy = false;
      done();
      this.#next();
    });
  }
}

/** One flush at a time; all that have come by its beginning are in it. */
class Disk {
  #waiting = [];
  #isBusy = false;
  commits = 0;

  constructor(ms, clock) {
    this.ms = ms;
    this.clock = clock;
  }

  commit(done) {
    this.commits++;
    this.#waiting.push(done);
    if (!this.#isBusy) this.#flush();
  }

  #flush() {
    if (this.#waiting.length === 0) return;
    this.#isBusy = true;
    const together = this.#waiting;
    this.#waiting = [];
    this.clock.after(this.ms, () => {
      this.#isBusy = false;
      for (const done of together) done();
      this.#flush();
    });
  }
}

/** A heap of what happens when. */
class Clock {
  now = 0;
  #heap = [];
  #count = 0;

  at(time, happen) {
    const heap = this.#heap;
    let at = heap.push({ time: Math.max(time, this.now), order: this.#count++, happen }) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[up])) break;
      [heap[at], heap[up]] = [heap[up], heap[at]];
      at = up;
    }
  }

  after(ms, happen) {
    this.at(this.now + ms, happen);
  }

  run(until = Number.POSITIVE_INFINITY) {
    const heap = this.#heap;
    while (heap.length > 0 && heap[0].time <= until) {
      const { time, happen } = heap[0];
      const last = heap.pop();
      if (heap.length > 0) {
        heap[0] = last;
        let at = 0;
        for (;;) {
          const left = 2 * at + 1;
          if (left >= heap.length) break;
          const least = left + 1 < heap.length && isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
          if (!isBefore(heap[least], heap[at])) break;
          [heap[at], heap[least]] = [heap[least], heap[at]];
          at = least;
        }
      }
      this.now = time;
      happen();
    }
  }
}

const isBefore = (a, b) => a.time < b.time || (a.time === b.time && a.order < b.order);

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * One cell.
 *
 * `figures`: what was measured. `workers`, `concurrency`, `steps`. `rate`: runs a second that come at random moments, for
 * `seconds`; without a rate, `backlog` runs that wait already. `cores` of the server; `sharedCores`: workers and server have
 * these together, as on the machine that was measured. `restart`: at which second the database is away, and for how long.
 */
export function simulate({
  figures,
  workers,
  steps,
  rate,
  backlog = 0,
  seconds = 20,
  concurrency = 8,
  cores,
  sharedCores,
  commitMs = figures.commit_ms,
  restart,
  seed = 1,
}) {
  const clock = new Clock();
  const random = seeded(seed);
  const shared = sharedCores === undefined ? undefined : new Station(sharedCores, clock);
  const server = shared ?? new Station(cores, clock);
  const disk = new Disk(commitMs, clock);
  const { worker: w, server: d, client, shares } = figures;
  const queue = [];
  const waits = [];
  let ended = 0;
  let lastEnd = 0;
  let longest = 0;
  let workerBusy = 0;
  let serverBusy = 0;

  const serverWork = (ms, done) => {
    serverBusy += ms;
    server.serve(ms, done);
  };
  const written = (ms, done) => serverWork(ms, () => disk.commit(done));

  const fleet = Array.from({ length: workers }, () => {
    const thread = new Thread(shared ?? new Station(1, clock));
    const work = (ms, done) => {
      workerBusy += ms;
      thread.do(ms, done);
    };
    return { work, free: concurrency, isTaking: false };
  });

  /** A worker with free places takes as many as it has, in one statement. */
  const take = (one) => {
    if (one.isTaking || one.free === 0 || queue.length === 0) return;
    one.isTaking = true;
    const count = Math.min(one.free, queue.length);
    const taken = queue.splice(0, count);
    one.free -= count;
    written(d.run_ms * shares.taking * count, () => {
      one.isTaking = false;
      for (const run of taken) begin(one, run);
      take(one);
    });
  };
  const begin = (one, run) =>
    one.work(w.run_ms * shares.beginning, () => {
      // Until the first step is recorded, as it was measured.
      step(one, steps, () => {
        waits.push(clock.now - run.placed);
        longest = Math.max(longest, clock.now - run.asked);
      });
    });
  const step = (one, left, recorded = () => {}) => {
    if (left === 0) return end(one);
    one.work(w.step_ms, () =>
      written(d.step_ms, () => {
        recorded();
        step(one, left - 1);
      }),
    );
  };
  const end = (one) =>
    one.work(w.run_ms * (1 - shares.beginning), () =>
      written(d.run_ms * (1 - shares.taking), () => {
        ended++;
        lastEnd = clock.now;
        one.free++;
        take(one);
      }),
    );
  const placed = (isNew) => {
    const asked = clock.now;
    const arrive = () => {
      queue.push({ asked, placed: clock.now });
      const one = fleet[Math.floor(random() * workers)];
      // Word of it comes over the network; all hear it, and who is free takes it.
      clock.after(figures.notice_ms, () => {
        take(one);
        for (const other of fleet) take(other);
      });
    };
    if (!isNew) arrive();
    else if (shared) shared.serve(client.place_ms, () => written(d.place_ms, arrive));
    else written(d.place_ms, arrive);
  };

  for (let n = 0; n < backlog; n++) placed(false);
  if (rate !== undefined)
    for (let at = 0; at < seconds * 1000; at += (-Math.log(1 - random()) * 1000) / rate)
      clock.at(at, () => placed(true));
  if (restart) clock.at(restart.at * 1000, () => server.pause((restart.at + restart.seconds) * 1000));
  clock.run(rate === undefined ? undefined : seconds * 4000);

  waits.sort((a, b) => a - b);
  const span = Math.max(lastEnd, 1) / 1000;
  return {
    ended,
    perSecond: ended / span,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    longest,
    serverCores: serverBusy / 1000 / span,
    workerCores: workerBusy / 1000 / span,
    commits: disk.commits / span,
  };
}

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
