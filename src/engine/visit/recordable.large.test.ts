// Outputs at the real caps of a journal: each takes seconds and hundreds of megabytes.
import { expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { RECORD_CAPS, whyUnrecordable } from "./recordable.ts";

it("an output that no text can hold is told from its real length", () => {
  // Each character is written as six.
  expect(whyUnrecordable("\u0001".repeat(100 * 1024 * 1024))).toMatch(/longer than 536870888 characters/);
  expect(RECORD_CAPS.jsonText).toBe(0x1fff_ffe8);
});

it("a value that is ten times as large with every visit is stopped before it fills the disk, and its route is taken", async () => {
  const before = `"{{ grow.output if grow is defined and grow.output is defined else 1 }}"`;
  const { output } = await new MemoryRun(`
workflow: { name: growing, entry_point: grow, limits: { max_iterations: 1000 } }
agents:
  - name: grow
    type: set
    values: { ${[..."abcdefghij"].map((key) => `${key}: ${before}`).join(", ")} }
    routes: [{ to: grow }, { on_error: internal.step_error, to: stop }]
  - { name: stop, type: set, value: "{{ grow.error.message }}", routes: [{ to: $end }] }
output: { said: "{{ stop.output }}" }
`).drive();
  expect(output).toMatchObject({ said: expect.stringContaining("it has more than 10000000 values") });
});
