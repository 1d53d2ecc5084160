// What `npm run chaos` may be told.
import { parseArgs } from "node:util";

export const USAGE = `npm run chaos -- [options]
  --kills N    go on until so many processes were killed (2000)
  --seed S     begin with this seed; the same seed does the same again (1)
  --jobs N     runs at the same time (2)
  --quick      a short one, about half a minute
  --few        a shorter one, for tests: 12 kills, and mishaps with a quarter of their processes
  --minutes M  kill for so long at most, but one at least
  --seconds S  the same, in seconds
  --on WHERE   workers of a fleet instead, for a minute or so long as is said: \`postgres\` starts a Postgres for it, an
               address is of one that is there (a database is made in it)
  --triggers   only triggers, for a minute or so long as is said: two servers on one store; with --on postgres, three
               workers, killed also between firing and starting
  --faults N   with --on postgres: N times the database is restarted, connections are cut in the middle of a commit, the
               queue loses a dispatch, a notice is lost, or a worker is killed, while runs are placed
  --apart      with --on, the clocks of the workers are an hour fast, right, and an hour slow
With --on, exactly so much instead of a time, one mishap after the other:
  --kills N    workers killed
  --stops N    workers stopped for too long, and woken up
  --runs N     runs placed (50)
  --slots S    \`free\`: somebody always has a place for a run that is left behind, and must take it within D + 1 s (the
               default); \`full\`: nobody has, until one of their own has ended`;

export function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "2" },
      minutes: { type: "string" },
      seconds: { type: "string" },
      stops: { type: "string" },
      runs: { type: "string" },
      slots: { type: "string" },
      on: { type: "string" },
      faults: { type: "string" },
      triggers: { type: "boolean", default: false },
      apart: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      few: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const number = (name, fallback) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value !== undefined && !(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  const seconds = number("seconds");
  const slots = values.slots ?? "free";
  if (slots !== "free" && slots !== "full") throw new Error("--slots is free or full");
  const isCounted = values.on !== undefined && ["kills", "stops", "runs", "slots"].some((name) => values[name]);
  return {
    help: values.help,
    quick: values.quick,
    few: values.few,
    on: values.on,
    triggers: values.triggers,
    faults: number("faults"),
    apart: values.apart,
    seed: number("seed"),
    jobs: number("jobs"),
    kills: number("kills", values.few ? 12 : values.quick ? 1000 : 2000),
    ...(isCounted
      ? { counted: { kills: number("kills", 0), stops: number("stops", 0), runs: number("runs", 50), slots } }
      : {}),
    minutes: seconds ? seconds / 60 : number("minutes", values.few ? 0.1 : values.quick ? 0.35 : undefined),
  };
}
