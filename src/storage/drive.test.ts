// What waits for what is recorded, where recording is a way over the network.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryRun } from "../../test/support/engine/memory-run.ts";

const FILE = `
workflow: { name: w, entry_point: one, limits: { max_iterations: 50 } }
agents:
  - { name: one, type: set, value: "{{ context.iteration }}", routes: [{ to: two }] }
  - { name: two, type: set, value: "{{ one.output + 1 }}", routes: [{ to: act }] }
  - { name: act, type: script, command: act, routes: [{ to: three }] }
  - { name: three, type: set, value: "{{ two.output + context.iteration }}", routes: [{ to: again }] }
  - { name: again, type: script, command: again, routes: [{ to: $end }] }
output: { sum: "{{ three.output }}" }
`;

const fleetRun = (): MemoryRun => new MemoryRun(FILE, false, true);
const done = ({ journal }: MemoryRun, length = journal.length): readonly string[] =>
  journal.slice(0, length).flatMap((event) => (event.type === "agent_completed" ? [event.data.agent_name] : []));

describe("where a journal is elsewhere", () => {
  it("steps that touch nothing do not wait for it, and one that does waits for all before it", async () => {
    // What may lag behind is also written after a while, which does not pass here.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const run = fleetRun();
    const seen: (readonly string[])[] = [];
    const look = () => {
      seen.push(done(run));
      return "ok";
    };
    const { output } = await run.drive({ scripts: { act: [look], again: [look] } });
    expect(output).toEqual({ sum: 4 });
    expect(seen).toEqual([
      ["one", "two"],
      ["one", "two", "act", "three"],
    ]);
    expect(done(run, run.commits[0])).toEqual(["one", "two"]);
  });

  it("a crash after any commit loses nothing that was done, and the run ends as if there had been none", async () => {
    const whole = fleetRun();
    const { output } = await whole.drive();
    for (const length of whole.commits.slice(0, -1)) {
      const run = fleetRun();
      await run.drive();
      run.journal = run.journal.slice(0, length);
      const before = done(run);
      const next = await run.drive();
      expect(next.output).toEqual(output);
      // What is recorded as done is not done again.
      for (const script of ["act", "again"])
        if (before.includes(script)) expect(next.ran.some((key) => key.startsWith(script))).toBe(false);
        else expect(next.ran.some((key) => key.startsWith(script))).toBe(true);
    }
  });

  it("nothing is done when what came before cannot be recorded", async () => {
    const run = fleetRun();
    let hasRun = false;
    const act = () => {
      hasRun = true;
      return "ok";
    };
    run.journal.push = () => {
      throw new Error("the store is gone");
    };
    await expect(run.drive({ scripts: { act: [act] } })).rejects.toThrow("the store is gone");
    expect(hasRun).toBe(false);
  });
});
