// What the model of a fleet is made of: a clock, cores that several share, threads on them, and a disk.

/** A heap of what happens when. */
export class Clock {
  now = 0;
  #heap = [];
  #count = 0;

  at(time, happen) {
    const heap = this.#heap;
    const entry = { time: Math.max(time, this.now), order: this.#count++, happen };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!isBefore(heap[at], heap[up])) break;
      [heap[at], heap[up]] = [heap[up], heap[at]];
      at = up;
    }
    return entry;
  }

  after(ms, happen) {
    return this.at(this.now + ms, happen);
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

/** Cores that all jobs on them share alike, as the system's scheduler does it: none has more than one. */
export class Cores {
  #count;
  #clock;
  /** Of the jobs, sorted by when they are done, in the time that one that began at 0 would have been served. */
  #jobs = [];
  #served = 0;
  #since = 0;
  #turn = 0;
  #isPaused = false;

  constructor(count, clock) {
    this.#count = count;
    this.#clock = clock;
  }

  /** Calls `done` when it has been served for so long. */
  serve(ms, done) {
    this.#catchUp();
    const end = this.#served + ms;
    let at = this.#jobs.length;
    while (at > 0 && this.#jobs[at - 1].end > end) at--;
    this.#jobs.splice(at, 0, { end, done });
    this.#next();
  }

  /** None is served until then: the database restarts. */
  pause(until) {
    this.#catchUp();
    this.#isPaused = true;
    this.#turn++;
    this.#clock.at(until, () => {
      this.#since = this.#clock.now;
      this.#isPaused = false;
      this.#next();
    });
  }

  get #rate() {
    return this.#jobs.length === 0 ? 0 : Math.min(1, this.#count / this.#jobs.length);
  }

  #catchUp() {
    if (!this.#isPaused) this.#served += (this.#clock.now - this.#since) * this.#rate;
    this.#since = this.#clock.now;
  }

  #next() {
    const [first] = this.#jobs;
    if (!first || this.#isPaused) return;
    // What was reckoned before another came does not hold any more.
    const turn = ++this.#turn;
    this.#clock.after(Math.max(0, first.end - this.#served) / this.#rate, () => {
      if (turn !== this.#turn) return;
      this.#catchUp();
      this.#served = Math.max(this.#served, first.end);
      this.#jobs.shift();
      this.#next();
      first.done();
    });
  }
}

/** Does one thing after the other, on cores that others may use as well. */
export class Thread {
  #cores;
  #waiting = [];
  #isBusy = false;

  constructor(cores) {
    this.#cores = cores;
  }

  do(ms, done) {
    this.#waiting.push({ ms, done });
    this.#next();
  }

  #next() {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    const { ms, done } = this.#waiting.shift();
    this.#cores.serve(ms, () => {
      this.#isBusy = false;
      done();
      this.#next();
    });
  }
}

/** One flush at a time; all that have come by its beginning are in it. */
export class Disk {
  #ms;
  #clock;
  #waiting = [];
  #isBusy = false;
  commits = 0;
  flushes = 0;

  constructor(ms, clock) {
    this.#ms = ms;
    this.#clock = clock;
  }

  commit(done) {
    this.commits++;
    this.#waiting.push(done);
    if (!this.#isBusy) this.#flush();
  }

  #flush() {
    if (this.#waiting.length === 0) return;
    this.#isBusy = true;
    this.flushes++;
    const together = this.#waiting;
    this.#waiting = [];
    this.#clock.after(this.#ms, () => {
      this.#isBusy = false;
      for (const done of together) done();
      if (!this.#isBusy) this.#flush();
    });
  }
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
