// A gate for certain people is known from the last keyframe and what follows it.
import { expect, it } from "vitest";
import { Playground } from "../../../test/support/play.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { KeyframeFacts } from "../drive/keyframe.ts";

const FLOW = `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: set, value: 2, routes: [{ to: g }] }
  - { name: g, type: human_gate, prompt: On?, approvers: [kim@box], options: [{ label: Y, value: "y", route: $end }] }
`;

it("refuses to go past it, with keyframes and without", async () => {
  for (const SEGNO_KEYFRAMES of ["1", "off"]) {
    const ground = new Playground();
    try {
      ground.write({ "flow.yaml": FLOW });
      const more = { env: { ...ground.session.env, SEGNO_KEYFRAMES } };
      const { result } = await ground.run("flow.yaml", more);
      expect(result.status).toBe("paused");
      const past = { ...more, staysBehindGates: true, force: true };
      const { errors } = (await ground.resume(result.run_id ?? "", past)).result;
      expect(errors[0]).toMatchObject({ error_type: "GateWaits" });
    } finally {
      ground.close();
    }
  }
});

it("is kept by a keyframe until it is answered", () => {
  const facts = new KeyframeFacts();
  const event = (type: string, data: object) =>
    ({ seq: 1, ts: "", run_id: "", path: [], type, data }) as never as RunEvent;
  facts.add(event("gate_presented", { key: "g#1", agent_name: "g", approvers: ["kim"] }));
  expect(facts.packed().gates).toEqual([["g#1", "g"]]);
  const read = new KeyframeFacts(facts.packed());
  read.add(event("gate_resolved", { key: "g#1" }));
  expect(read.packed().gates).toEqual([]);
});
