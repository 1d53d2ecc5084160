// One seed: an undisturbed run says what must come out, then the same run is killed in every way there is.

import { compare } from "./model.mjs";
import { forget, newPlace } from "./places.mjs";
import { randomFrom } from "./random.mjs";
import { copyCase, retryCase } from "./retry-case.mjs";
import { runCase } from "./run-case.mjs";
import { filesOf } from "./shapes/index.mjs";
import { usesOf } from "./shared.mjs";
import { tearLog } from "./tear.mjs";
import { anyMoment, onceAt, stutter } from "./ways.mjs";

/** Of one run, where many seeds are to be met in a short time. */
const FEW_KILLS = 6;

/**
 * Runs a seed's cases until `tally.isEnough()`; each one that comes out differently is told to `tally`. `isBrief`: only a
 * few of them, so that more seeds are met.
 */
export async function torment(base, seed, tally, { isBrief = false } = {}) {
  const files = filesOf(seed);
  const place = newPlace(base, `seed-${seed}`, files);
  const uses = usesOf(files);
  const isEnough = () => tally.isEnough();
  const brevity = isBrief ? { mostKills: FEW_KILLS } : {};
  const meet = async (first, { name, torn, isSweep, ...way }, run) => {
    const mayFail = first.outcome.result.status === "failed";
    const { kills, problem, notBegun, ...ended } = await run(name, { ...way, ...brevity, mayFail, isEnough, uses });
    tally.ran(kills);
    const wrong = problem
      ? [problem]
      : notBegun
        ? []
        : compare(first.outcome, ended.outcome, {
            torn,
            uses: { ...uses, wasReset: first === retried },
            kills: kills + (way.killsBefore ?? 0),
          });
    if (wrong.length > 0) tally.wrong(seed, place, name, wrong);
    return { kills, notBegun, wrong, runId: ended.runId };
  };

  const { reference, retried, tookMs } = await undisturbed(place, uses);
  if (!reference.outcome) return tally.wrong(seed, place, "reference", [reference.problem ?? "it did not begin"]);
  tally.ran(0);
  if (retried?.problem) tally.wrong(seed, place, "retried", [retried.problem]);

  for (const way of waysFor(seed, tookMs, isBrief)) {
    if (tally.isEnough()) return;
    const { kills, notBegun, wrong, runId } = await meet(reference, way, (name, how) => runCase(place, name, how));
    // What a run that was killed left behind can be tried again like what any other left.
    if (retried?.outcome && way.isRetried && wrong.length === 0 && !notBegun) {
      const retry = (_, how) => retryCase(place, way.name, runId, how);
      wrong.push(...(await meet(retried, { ...way, killsBefore: kills }, retry)).wrong);
    }
    if (wrong.length === 0) forget(place, way.name);
    // The sweep is over when the run was done before the write at which it would have been killed.
    if (way.isSweep && kills === 0) break;
  }

  if (!retried?.outcome) return;
  for (const way of retryWaysFor(seed, tookMs, isBrief)) {
    if (tally.isEnough()) return;
    copyCase(place, "reference", way.name);
    const { kills, wrong } = await meet(retried, way, (name, how) => retryCase(place, name, reference.runId, how));
    if (wrong.length === 0) forget(place, way.name);
    if (way.isSweep && kills === 0) return;
  }
}

/** What must come out: of the run, and of trying its dead letters again. */
async function undisturbed(place, uses) {
  const began = performance.now();
  const reference = await runCase(place, "reference", { uses });
  const tookMs = performance.now() - began;
  if (!reference.outcome?.letters.some(({ status }) => status === "open")) return { reference, tookMs };
  copyCase(place, "reference", "retried");
  const retried = await retryCase(place, "retried", reference.runId, { uses });
  return { reference, retried, tookMs };
}

/** Many small steps first: they kill most. Then moments, lost writes, and each write in turn. */
function* waysFor(seed, tookMs, isBrief) {
  const random = randomFrom(seed * 7919);
  yield { ...stutter(random, 1), isRetried: true };
  if (isBrief) return;
  for (let nth = 2; nth <= 4; nth += 1) yield stutter(random, nth);
  yield anyMoment(random, 1, tookMs);
  yield { ...stutter(random, "torn"), torn: true, between: tearLog(random) };
  yield* sweep(seed, random, "");
}

function* retryWaysFor(seed, tookMs, isBrief) {
  const random = randomFrom(seed * 104_729);
  yield stutter(random, "retry");
  if (isBrief) return;
  yield anyMoment(random, "retry", tookMs);
  yield* sweep(seed, random, "retry-");
}

/** Every seventh seed is swept whole; on the others a few writes, so that many shapes are met. */
function* sweep(seed, random, prefix) {
  const stride = seed % 7 === 0 ? 1 : 17;
  for (let nth = random.between(1, stride); nth < 500; nth += stride) {
    const way = onceAt(random.pick(["before", "after"]), nth);
    yield { ...way, name: `${prefix}${way.name}`, isSweep: true };
  }
}
