// `npm run chaos`: kills runs at every write and at any moment, resumes them, and holds them against a run that nobody
// disturbed: with breakers, dead letters and policies, and with what was kept tried again. Also two that race for one run,
// a full disk, torn writes, a clock that jumps, scripts that live on.
import { rmSync } from "node:fs";
import { mishaps } from "./mishaps/index.mjs";
import { triggers } from "./mishaps/triggers.mjs";
import { optionsOf, USAGE } from "./options.mjs";
import { newBase } from "./places.mjs";
import { Tally } from "./tally.mjs";
import { torment } from "./torment.mjs";

const options = optionsOf(process.argv.slice(2));
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}

const base = newBase();
const began = performance.now();
const tally = new Tally(options);

if (options.on) {
  const { tormentFleet } = await import("./fleet/main.mjs");
  const wrong = await tormentFleet(base, options);
  if (wrong === 0) rmSync(base, { recursive: true, force: true });
  process.exit(wrong === 0 ? 0 : 1);
}

if (options.triggers) {
  const { wrong } = await triggers(base, options.seed, { seconds: (options.minutes ?? 1) * 60 });
  for (const one of wrong.slice(0, 20)) console.log(`  ${one}`);
  if (wrong.length === 0) rmSync(base, { recursive: true, force: true });
  process.exit(wrong.length === 0 ? 0 : 1);
}

for (const { name, meet } of mishaps) {
  const { wrong, skipped } = await meet(base, options.seed, options);
  tally.ran(0);
  if (skipped) console.log(`skipped: ${name}: ${skipped}`);
  if (wrong.length > 0) tally.wrong(options.seed, `${base}/${name}`, name, wrong);
}

const telling = setInterval(() => console.error(`… ${tally.kills} kills, ${tally.runs} runs so far`), 60_000);
tally.begin();
let next = options.seed;
await Promise.all(
  Array.from({ length: options.jobs }, async () => {
    while (!tally.isEnough()) await torment(base, next++, tally, { isBrief: options.quick });
  }),
);

clearInterval(telling);
console.log(tally.summary(options.seed, (performance.now() - began) / 1000));
// What was wrong is kept, so that it can be looked at.
if (tally.failures === 0) rmSync(base, { recursive: true, force: true });
process.exit(tally.failures === 0 ? 0 : 1);
