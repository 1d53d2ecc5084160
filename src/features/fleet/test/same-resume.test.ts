// Going on with runs, with files, inputs and questions that changed: as here, so on a fleet.
import { describe } from "vitest";
import { hasPostgres } from "./cluster.ts";
import { onFleet } from "./same-tests.ts";

const KILLED = "it kills the process that drives; src/features/fleet/test/workers.test.ts kills workers";
const ASKED_HERE = "nobody is asked at the terminal of who follows a run: it pauses";

describe.skipIf(!hasPostgres)("on a fleet", async () => {
  onFleet({
    "is killed": KILLED,
    "survives the kill": KILLED,
    "--force asks again at a gate": ASKED_HERE,
    "(terminal)": ASKED_HERE,
    "an answer is not kept when its choices": ASKED_HERE,
    "answers that were given before a list": ASKED_HERE,
    "says why, when it starts": "the environment of steps is the worker's",
    "with a time to live": "it moves the clock of this process",
    "are gone on with as they were": "the files that a run was placed with are with it: on the worker none is gone",
    "from a keyframe,": "keyframes are of the embedded store",
    "a question that has changed since": "an answer lets the run go on with the files that it was placed with",
  });
  await import("../../../../test/resume/changes.test.ts");
  await import("../../../../test/resume/options.test.ts");
  await import("../../../../test/resume/lost-items.test.ts");
  await import("../../../../test/resume/questions-changed.test.ts");
  await import("../../../../test/resume/answers-meanwhile.test.ts");
  await import("../../../../test/resume/reused-behind.test.ts");
  await import("../../../../test/resume/terminated-items.test.ts");
  await import("../../../../test/resilience/group-letters.test.ts");
});
