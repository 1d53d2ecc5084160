// What runs beside a gate that waits, in a group that ends with its first failure.
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireGatesHeld } from "../../src/services/explain/gate-protection.ts";
import { listRuns } from "../../src/services/runs/runs.ts";
import { withStore } from "../../src/services/session/store.ts";
import { Workshop } from "./workshop.ts";

const CHILD = `
workflow: { name: child, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "Publish?", options: [{ value: yes, route: $end }] }
`;
const main = (other: string, mode = "fail_fast"): string => `
workflow: { name: w, entry_point: both }
agents:
  - { name: sub, type: workflow, workflow: child.yaml }
  - { name: other, type: script, command: ${other} }
  - { name: publish, type: script, command: "true", routes: [{ to: $end }] }
parallel:
  - { name: both, agents: [sub, other], max_concurrent: 1, failure_mode: ${mode}, routes: [{ to: publish }, { on_error: true, to: publish }] }
`;

/** A run that was killed while a member ran beside the gate. */
async function killed(mode?: string) {
  const shop = new Workshop({ "main.yaml": main('"true"', mode), "child.yaml": CHILD });
  await shop.killedAt("kill-before:script_completed");
  const run = (await listRuns(shop.session, {})).runs[0]?.run_id ?? "";
  return { shop, goOn: () => requireGatesHeld(shop.session, { run }) };
}

test("a member that still runs beside a gate may not be made to fail, which would end the group without an answer", async () => {
  const { shop, goOn } = await killed();
  await goOn();
  shop.write({ "main.yaml": main('"false"') });
  await expect(goOn()).rejects.toThrow("what still runs beside it in both was changed");
  shop.write({ "main.yaml": main('"true"') });
  await goOn();
});

test("a gate is held to how it was when it asked, whatever was pinned since for a drive that never began", async () => {
  const gate = (label: string): string => CHILD.replace("{ value: yes", `{ label: ${label}, value: yes`);
  const shop = new Workshop({ "main.yaml": gate("Now") });
  const { result } = await shop.run("main.yaml");
  const run = result.run_id ?? "";
  const goOn = () => requireGatesHeld(shop.session, { run });
  await goOn();
  shop.write({ "main.yaml": gate("Never") });
  await withStore(shop.session, async (store) => {
    const log = await store.openRun(run);
    await log.pin(2, new Map([[join(shop.folder, "main.yaml"), gate("Never")]]));
    await log.release();
  });
  await expect(goOn()).rejects.toThrow("ask is not in the file as it was when it asked");
});

test("it may be edited in a group that waits for all its members whatever happens to one", async () => {
  const { shop, goOn } = await killed("all_or_nothing");
  shop.write({ "main.yaml": main('"false"', "all_or_nothing") });
  await goOn();
  shop.write({ "main.yaml": main('"false"', "fail_fast") });
  await expect(goOn()).rejects.toThrow("beside it in both");
});
