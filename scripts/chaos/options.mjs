// What `npm run chaos` may be told.
import { parseArgs } from "node:util";

export const USAGE = `npm run chaos -- [options]
  --kills N    go on until so many processes were killed (2000)
  --seed S     begin with this seed; the same seed does the same again (1)
  --jobs N     runs at the same time (2)
  --quick      a short one, about half a minute
  --minutes M  kill for so long at most
  --on URL     workers of a fleet instead, on this Postgres (a database is made in it); a minute, or --minutes`;

export function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "2" },
      minutes: { type: "string" },
      on: { type: "string" },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const number = (name, fallback) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value !== undefined && !(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  return {
    help: values.help,
    quick: values.quick,
    on: values.on,
    seed: number("seed"),
    jobs: number("jobs"),
    kills: number("kills", values.quick ? 1000 : 2000),
    minutes: number("minutes", values.quick ? 0.35 : undefined),
  };
}
