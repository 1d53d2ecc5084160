// Arithmetic on text that looks like a number: a warning of the run, wherever in a workflow it stands.
import { expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const file = (step: string, output = "{}"): string => `
workflow: { name: w, entry_point: price }
agents:
  - { name: price, type: script, command: price, routes: [{ to: work }] }
  - ${step}
output: ${output}
`;
const scripts = { price: ["10.50"] };
const FLOAT = expect.stringContaining("Write `price.output.stdout | float` to calculate with it.");

it.each([
  ["a value", file(`{ name: work, type: set, value: "{{ price.output.stdout * 2 }}" }`), "work"],
  ["a command", file(`{ name: work, type: script, command: x, args: ["{{ price.output.stdout * 2 }}"] }`), "work"],
  [
    "a condition",
    file(
      `{ name: work, type: set, value: a, routes: [{ to: $end, when: "price.output.stdout * 2 == 21" }, { to: $end }] }`,
    ),
    "work",
  ],
  [
    "`raise_when`",
    file(
      `{ name: work, type: script, command: x, raise_when: [{ when: "{{ price.output.stdout * 2 == 21 }}", kind: a.b, message: m }] }`,
    ),
    "work",
  ],
  [
    "the workflow's output",
    file("{ name: work, type: set, value: a }", `{ p: "{{ price.output.stdout * 2 }}" }`),
    null,
  ],
])("is said of %s", async (_, files, node) => {
  const { recorded } = await new MemoryRun(files).drive({ scripts });
  expect(recorded("warning")).toEqual([{ node, message: FLOAT }]);
});

it("is said once for all turns of a loop, and again in the next drive", async () => {
  const loop = file(
    `{ name: work, type: set, value: "{{ price.output.stdout * 2 }}", routes: [{ to: work, when: "context.iteration < 5" }, { to: stop }] }\n  - { name: stop, type: script, command: stop, raises: [a.b] }`,
  );
  const run = new MemoryRun(loop);
  const first = await run.drive({ scripts: { ...scripts, stop: [raises("a.b")] } });
  expect(first.recorded("warning")).toHaveLength(1);
  expect((await run.drive({ scripts })).recorded("warning")).toHaveLength(1);
});
