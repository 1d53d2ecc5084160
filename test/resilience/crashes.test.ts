// Killed at a chosen write: phases are after the resume as if nothing had happened.
import { expect, test } from "vitest";
import { Workshop } from "../resume/workshop.ts";

/** Leaves a mark, and raises `app.no` while there is no file `ok`. */
const failing = (name: string, more = ""): string =>
  `{ name: ${name}, type: script, command: sh, args: ["-c", 'echo ${name} >> marks; test -e ok && exit 0; echo "{\\"kind\\": \\"app.no\\", \\"message\\": \\"no\\"}" > $CONDUCTOR_ERROR_OUT; exit 1']${more} }`;

test("a step that was denied has entered no phase, also when its denial is reused", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, phases: [build, ship], policies: [{ phase_gate: {} }] }
agents:
  - ${failing("a", ", phase: build, routes: [{ on_error: true, to: b }, { to: b }]")}
  - { name: b, type: set, value: 1, phase: ship, routes: [{ on_error: policy.denied, to: c }, { to: c }] }
  - { name: c, type: set, value: 1, routes: [{ to: d }] }
  - { name: d, type: set, value: shipped, phase: ship, routes: [{ on_error: policy.denied, to: e }, { to: $end }] }
  - { name: e, type: set, value: 1 }
output: { shipped: "{{ d.output if d is defined and d.output is defined else 'no' }}" }
`,
  });
  await shop.killedAt("kill-after:agent_completed");
  expect((await shop.resume("main.yaml")).result.output).toEqual({ shipped: "no" });
});

