// Things that go wrong other than by a kill, each met once by a small run of its own: `meet(base, seed, options)`.
import { clockJumps } from "./clock.mjs";
import { crowd } from "./crowd.mjs";
import { damages } from "./damage.mjs";
import { fullDisk } from "./full-disk.mjs";
import { namespace } from "./namespace.mjs";
import { orphan } from "./orphan.mjs";
import { race } from "./race.mjs";
import { stopped } from "./stopped.mjs";
import { triggers } from "./triggers.mjs";

export const mishaps = [
  { name: "race", meet: race },
  { name: "orphan", meet: orphan },
  { name: "clock", meet: clockJumps },
  { name: "full-disk", meet: fullDisk },
  { name: "stopped", meet: stopped },
  { name: "namespace", meet: namespace },
  { name: "crowd", meet: crowd },
  { name: "damage", meet: damages },
  { name: "triggers", meet: triggers },
];
