// What has been done so far, and what was wrong. Failures are told at once, with all that is needed to see them again.

export class Tally {
  kills = 0;
  runs = 0;
  failures = 0;
  #until = Number.POSITIVE_INFINITY;

  constructor({ kills, minutes }) {
    this.wanted = kills;
    this.minutes = minutes;
  }

  /** The time that may be taken for killing begins now. */
  begin() {
    if (this.minutes !== undefined) this.#until = performance.now() + this.minutes * 60_000;
  }

  isEnough() {
    // On a busy machine the time may be over before anything was killed: then nothing was tried.
    const isTimeOver = performance.now() >= this.#until && this.kills > 0;
    return this.kills >= this.wanted || isTimeOver || this.failures >= 10;
  }

  ran(kills) {
    this.kills += kills;
    this.runs += 1;
  }

  wrong(seed, place, name, differences) {
    this.failures += 1;
    console.error(`wrong: seed ${seed}, ${name}\n  workflow: ${place}/main.yaml\n  run: ${place}/home-${name}`);
    for (const difference of differences.slice(0, 12)) console.error(`  ${difference}`);
    if (differences.length > 12) console.error(`  … and ${differences.length - 12} more`);
  }

  summary(seed, seconds) {
    return `chaos: ${this.kills} kills, ${this.runs} runs, ${this.failures} wrong (seed ${seed}, ${Math.round(seconds)} s)`;
  }
}
