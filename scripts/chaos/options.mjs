// What `npm run chaos` may be told.
import { parseArgs } from "node:util";

export const USAGE = `npm run chaos -- [options]
  --kills N    go on until so many processes were killed (2000)
  --seed S     begin with this seed; the same seed does the same again (1)
  --jobs N     runs at the same time (2)
  --quick      a short one, about half a minute
  --minutes M  kill for so long at most
  --seconds S  the same, in seconds
  --on WHERE   workers of a fleet instead, for a minute or so long as is said: \`postgres\` starts a Postgres for it, an
               address is of one that is there (a database is made in it)
  --triggers   with --on postgres: workers that drive triggers, killed also between firing and starting`;

export function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "2" },
      minutes: { type: "string" },
      seconds: { type: "string" },
      on: { type: "string" },
      triggers: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const number = (name, fallback) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value !== undefined && !(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  const seconds = number("seconds");
  return {
    help: values.help,
    quick: values.quick,
    on: values.on,
    triggers: values.triggers,
    seed: number("seed"),
    jobs: number("jobs"),
    kills: number("kills", values.quick ? 1000 : 2000),
    minutes: seconds ? seconds / 60 : number("minutes", values.quick ? 0.35 : undefined),
  };
}
