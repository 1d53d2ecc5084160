// Letters, breakers, decisions and policies: as here, so on a fleet.
import { describe } from "vitest";
import { hasPostgres } from "./cluster.ts";
import { onFleet } from "./same-tests.ts";

describe.skipIf(!hasPostgres)("on a fleet", async () => {
  onFleet();
  await import("../resilience/letters.test.ts");
  await import("../resilience/breakers.test.ts");
  await import("../resilience/decisions.test.ts");
  await import("../resilience/policies.test.ts");
});
