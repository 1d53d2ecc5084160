// `error_routes` in a group: its members take the retries, the group the rest.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const group = (errorRoutes: string, settings = "", source = "{{ ['a', 'b'] }}"): string => `
workflow: { name: case, entry_point: each, error_routes: [${errorRoutes}] }
steps:
  - { name: caught, type: set, value: "{{ error.kind }} {{ error.details.group.failed }}", routes: [{ to: $end }] }
for_each:
  - { name: each, type: for_each, source: "${source}", as: x, max_concurrent: 1, ${settings} agent: { name: work, type: script, command: work, args: ["{{ x }}"] }, routes: [{ to: $end }] }
output: { caught: "{{ caught.output if caught is defined else none }}", count: "{{ each.count if each is defined else none }}" }
`;

/** The step fails for item b, so many times. */
const failing = (times: number) => {
  let failed = 0;
  return (_: unknown, [item = ""]: readonly string[]) => {
    if (item !== "b" || failed >= times) return `did ${item}`;
    failed += 1;
    return raises("app.bad");
  };
};

const drive = async (file: string, times: number) => {
  const { ran, output, end, events } = await new MemoryRun(file).drive({ scripts: { work: [failing(times)] } });
  return { ran: ran.filter((key) => key.includes("work")), output, end, events };
};

describe("error_routes in a group", () => {
  it("try a member again, as they try any step again", async () => {
    const { ran, output } = await drive(group("{ on_error: app.bad, retry: 2 }"), 2);
    expect(ran).toHaveLength(4);
    expect(output).toMatchObject({ count: 2 });
  });

  it("try no member again for its group once its retries are used up", async () => {
    const { ran, end } = await drive(group("{ on_error: app.bad, retry: 2 }"), 99);
    expect(ran).toHaveLength(4);
    expect(end).toMatchObject({ type: "raised", error: { kind: "app.bad", attempts: 3 } });
  });

  it("lead on from the group, when it fails", async () => {
    const { ran, output } = await drive(group("{ on_error: app.bad, retry: 1 }, { on_error: true, to: caught }"), 99);
    expect(ran).toHaveLength(3);
    expect(output).toMatchObject({ caught: "app.bad 1" });
  });

  it("do not lead on for a member that its group does without", async () => {
    const { output } = await drive(group("{ on_error: true, to: caught }", "failure_mode: continue_on_error,"), 99);
    expect(output).toMatchObject({ caught: null, count: 2 });
  });

  it("read nothing for a member below the route that the group will take", async () => {
    const { ran, output, events } = await drive(
      group("{ on_error: app.bad, to: caught }, { on_error: app.bad, retry: 5 }"),
      99,
    );
    expect(ran).toHaveLength(2);
    expect(output).toMatchObject({ caught: "app.bad 1" });
    const read = events.flatMap((event) => (event.type === "error_unhandled" ? [event.data] : []));
    expect(read).toMatchObject([{ node: "work", considered: [{ verdict: "left to the group" }] }]);
  });

  it("try the group again for an error of its own", async () => {
    const { events } = await drive(group("{ on_error: internal.bad_value, retry: 1 }", "", "{{ 5 }}"), 0);
    expect(events.filter(({ type }) => type === "error_raised")).toHaveLength(2);
  });
});
