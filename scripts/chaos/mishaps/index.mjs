// Things that go wrong other than by a kill, each met once by a small run of its own.
import { clockJumps } from "./clock.mjs";
import { fullDisk } from "./full-disk.mjs";
import { orphan } from "./orphan.mjs";
import { race } from "./race.mjs";

export const mishaps = [
  { name: "race", meet: race },
  { name: "orphan", meet: orphan },
  { name: "clock", meet: clockJumps },
  { name: "full-disk", meet: fullDisk },
];
