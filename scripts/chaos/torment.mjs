// One seed: an undisturbed run says what must come out, then the same run is killed in every way there is.

import { compare } from "./model.mjs";
import { forget, newPlace } from "./places.mjs";
import { randomFrom } from "./random.mjs";
import { runCase } from "./run-case.mjs";
import { filesOf } from "./shapes.mjs";
import { tearLog } from "./tear.mjs";
import { anyMoment, onceAt, stutter } from "./ways.mjs";

/** Runs a seed's cases until `tally.isEnough()`; each one that comes out differently is told to `tally`. */
export async function torment(base, seed, tally) {
  const files = filesOf(seed);
  const place = newPlace(base, `seed-${seed}`, files);
  const began = performance.now();
  const reference = await runCase(place, "reference");
  const tookMs = performance.now() - began;
  if (!reference.outcome) return tally.wrong(seed, place, "reference", [reference.problem ?? "it did not begin"]);
  tally.ran(0);
  const mayFail = reference.outcome.result.status === "failed";
  for (const { name, torn, isSweep, ...way } of waysFor(seed, tookMs)) {
    if (tally.isEnough()) return;
    const { kills, outcome, problem, notBegun } = await runCase(place, name, {
      ...way,
      mayFail,
      isEnough: () => tally.isEnough(),
    });
    tally.ran(kills);
    const wrong = problem ? [problem] : notBegun ? [] : compare(reference.outcome, outcome, { torn });
    if (wrong.length > 0) tally.wrong(seed, place, name, wrong);
    else forget(place, name);
    // The sweep is over when the run was done before the write at which it would have been killed.
    if (isSweep && kills === 0) return;
  }
}

/** Many small steps first: they kill most. Then moments, lost writes, and each write in turn. */
function* waysFor(seed, tookMs) {
  const random = randomFrom(seed * 7919);
  for (let nth = 1; nth <= 4; nth += 1) yield stutter(random, nth);
  yield anyMoment(random, 1, tookMs);
  yield { ...stutter(random, "torn"), torn: true, between: tearLog(random) };
  // Every seventh seed is swept whole; on the others a few writes, so that many shapes are met.
  const stride = seed % 7 === 0 ? 1 : 17;
  for (let nth = random.between(1, stride); nth < 500; nth += stride)
    yield { ...onceAt(random.pick(["before", "after"]), nth), isSweep: true };
}
