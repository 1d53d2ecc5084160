// The step at which a run failed, in the words of a banner.
import { expect, it } from "vitest";
import { MemoryRun } from "../../../../test/support/engine/memory-run.ts";
import { raises } from "../../../../test/support/engine/scripted-world.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { standingOf } from "./snapshot.ts";

const forEach = (name: string, agent: string): string => `
workflow: { name: ${name}, entry_point: ${name}, limits: { max_iterations: 50 } }
agents: []
for_each: [{ name: ${name}, type: for_each, source: "{{ ['a', 'b'] }}", as: x, max_concurrent: 1, agent: ${agent} }]
`;

it.each([
  ["of an item", { "main.yaml": forEach("outer", "{ name: w, type: script, command: w }") }, "outer"],
  [
    "of an item's sub-workflow",
    {
      "main.yaml": forEach("outer", "{ name: call, type: workflow, workflow: child.yaml }"),
      "child.yaml": "workflow: { name: child, entry_point: w }\nagents: [{ name: w, type: script, command: w }]\n",
    },
    "outer[0]/w",
  ],
  [
    "of an item inside an item's sub-workflow",
    {
      "main.yaml": forEach("outer", "{ name: call, type: workflow, workflow: child.yaml }"),
      "child.yaml": forEach("inner", "{ name: again, type: workflow, workflow: deep.yaml }"),
      "deep.yaml": "workflow: { name: deep, entry_point: w }\nagents: [{ name: w, type: script, command: w }]\n",
    },
    "outer[0]/inner[1]/w",
  ],
  [
    "of a group's member in a sub-workflow that is in no group",
    {
      "main.yaml":
        "workflow: { name: main, entry_point: call }\nagents: [{ name: call, type: workflow, workflow: child.yaml }]\n",
      "child.yaml": forEach("inner", "{ name: w, type: script, command: w }"),
    },
    "call/w",
  ],
])("is that %s which raised", async (_, files, step) => {
  const { events } = await new MemoryRun(files as Readonly<Record<string, string>>).drive({
    scripts: { w: step.includes("[1]") ? ["ok", raises("a.b")] : [raises("a.b")] },
  });
  expect(standingOf(events.reduce(apply, initialState("run")), false)).toMatchObject({ kind: "a.b", step });
  // Runs of older versions do not name the items with the callers.
  const older = JSON.parse(JSON.stringify(events), (key, value) =>
    key === "propagated" ? value.map(({ workflow, node }: Record<string, string>) => ({ workflow, node })) : value,
  ) as typeof events;
  const seen = standingOf(older.reduce(apply, initialState("run")), false).step;
  expect(seen).toBe(step.includes("[1]") ? "outer" : step);
});
