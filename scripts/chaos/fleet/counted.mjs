// Exactly so many mishaps and runs. With free slots a few runs are placed before each mishap, so that whoever is left has
// room for all of them; with full ones all runs are there from the start, and wait for a place the whole time.
import { setTimeout as pause } from "node:timers/promises";
import { DEAD_MS } from "./workers.mjs";

/** Runs at a time on each worker. */
export const SLOTS = { free: 50, full: 1 };

/** So long a run that was left behind may take to be adopted before the next mishap comes. */
const ADOPTED_MS = DEAD_MS + 2000;

export const counted =
  ({ kills, stops, runs, slots }) =>
  async ({ workers, place }) => {
    const mishaps = alternating(kills, stops);
    let left = runs;
    const some = async (count) => {
      left -= count;
      // Each is a process of its own, which is what is slow about it.
      for (let rest = count; rest > 0; rest -= 4) await place(Math.min(rest, 4));
    };
    if (slots === "full") await some(runs);
    for (const [index, how] of mishaps.entries()) {
      if (left > 0) await some(Math.ceil(left / (mishaps.length - index)));
      await workers.lose(how);
      const end = Date.now() + ADOPTED_MS;
      while (Date.now() < end && (slots === "full" || workers.orphans.length > 0)) await pause(50);
    }
    if (left > 0) await some(left);
  };

/** One of each in turn, until both are used up. */
function alternating(kills, stops) {
  const list = [];
  for (let at = 0; at < Math.max(kills, stops); at++)
    list.push(...(at < kills ? ["kill"] : []), ...(at < stops ? ["stop"] : []));
  return list;
}
