// How runs go and end, with groups, children, errors and gates: as here, so on a fleet.
import { describe } from "vitest";
import { hasPostgres } from "./cluster.ts";
import { onFleet } from "./same-tests.ts";

describe.skipIf(!hasPostgres)("on a fleet", async () => {
  onFleet();
  await import("../../../../test/runs/groups.test.ts");
  await import("../../../../test/runs/children.test.ts");
  await import("../../../../test/runs/errors.test.ts");
  await import("../../../../test/runs/gate-names.test.ts");
});
