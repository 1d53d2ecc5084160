// Which changes are made: seeded, so that a figure can be had again, and spread over all rooms of src by their size.
import { readFileSync } from "node:fs";
import { FROM_SCHEMAS } from "../places.mjs";
import { sitesIn } from "./sites.mjs";

const ROOM = /^src\/([^/]+)/;
/** Tests, and what is generated from another source. */
const isLeftOut = (file) => /\.test\.tsx?$|\.d\.ts$/.test(file) || file === FROM_SCHEMAS.file;

export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` changes: at least one in each room, the rest by the number of sites; never two in one file. */
export function choose(files, { count, seed }) {
  const random = seeded(seed);
  const rooms = new Map();
  for (const file of files.filter((name) => /^src\/.*\.tsx?$/.test(name) && !isLeftOut(name)).sort()) {
    const sites = sitesIn(file, readFileSync(file, "utf8"));
    if (sites.length === 0) continue;
    const room = ROOM.exec(file)[1];
    rooms.set(room, [...(rooms.get(room) ?? []), { file, sites }]);
  }
  const chosen = [];
  const takeFrom = (its) => {
    const free = its.filter(({ file }) => !chosen.some((one) => one.file === file));
    const sites = free.flatMap(({ file, sites }) => sites.map((site) => ({ file, ...site })));
    chosen.push(sites[Math.floor(random() * sites.length)]);
  };
  for (const its of rooms.values()) takeFrom(its);
  while (chosen.length < count) takeFrom([...rooms.values()].flat());
  return chosen.slice(0, count).map((one, index) => ({ id: index + 1, ...one }));
}
