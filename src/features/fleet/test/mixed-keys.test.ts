// A run that was begun under one key and gone on with under another: who has only one of them sees all the others.
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { gatesShown } from "../../../frontends/server/commands/gates-shown.ts";
import { WatchedRuns } from "../../../frontends/server/views/watched-runs.ts";
import { GateWatch } from "../../../services/gates/deadlines.ts";
import type { GatesAnswer } from "../../../services/gates/gates.ts";
import { BackgroundRuns } from "../../../services/runs/background.ts";
import { realClock } from "../../../storage/clock.ts";
import { openPostgresStore } from "../postgres/store.ts";
import { hasPostgres } from "./cluster.ts";
import { SEAL_KEY, TestFleet } from "./fleet.ts";

const NEW_KEY = "n".repeat(64);
const ROTATED = { SEGNO_SEAL_KEY: `${NEW_KEY},${SEAL_KEY}` };
const ONLY_NEW = { SEGNO_SEAL_KEY: NEW_KEY };

const TWICE = `
workflow: { name: twice, entry_point: first }
agents:
  - { name: first, type: human_gate, prompt: "One?", options: [{ label: "Yes", value: "yes", route: second }] }
  - { name: second, type: human_gate, prompt: "Two?", options: [{ label: "Yes", value: "yes", route: $end }] }
`;
const TIMED = `
workflow: { name: timed, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: "In time?", timeout: 12h, on_timeout: "no", options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }] }
`;

describe.skipIf(!hasPostgres)("a run whose journal holds two keys, for who has only one of them", () => {
  it("takes no other question from the list, the page or the reminders, and is named", async () => {
    const fleet = await TestFleet.start();
    fleet.write("twice.yaml", TWICE);
    fleet.write("timed.yaml", TIMED);
    const old = await fleet.worker();
    const { run_id: mixed } = await fleet.json(["run", "twice.yaml"]);
    await old.leave();
    const both = await fleet.worker(ROTATED);
    expect(await fleet.json(["gate", "answer", mixed ?? "", "yes"], ROTATED)).toMatchObject({ status: "paused" });
    const { run_id: plain } = await fleet.json(["run", "timed.yaml"], ROTATED);
    // What follows is what others see: nobody drives anything on meanwhile.
    await both.leave();

    const all = await fleet.json<GatesAnswer>(["gate", "list"], ROTATED);
    expect(all.gates.map(({ run_id }) => run_id)).toEqual([mixed, plain]);
    const listed = await fleet.segno(["gate", "list", "--output-format", "json"], ONLY_NEW);
    expect(listed.code).toBe(0);
    expect((JSON.parse(listed.stdout) as GatesAnswer).gates.map(({ run_id }) => run_id)).toEqual([plain]);
    expect(listed.stderr).toMatch(
      new RegExp(`Left out: a question of run ${mixed}\\. What was recorded is sealed with the key \\w{8}`),
    );

    const session = { cwd: fleet.folder, env: ONLY_NEW, home: `${fleet.folder}/page`, fleet: fleet.url };
    const watched = await WatchedRuns.open(session, fleet.folder);
    onTestFinished(() => watched.close());
    expect((await gatesShown(watched, session)).map(({ run_id }) => run_id)).toEqual([plain]);

    const store = await openPostgresStore(fleet.url, { home: fleet.folder, sealKey: NEW_KEY });
    onTestFinished(() => store.close());
    const begun: unknown[] = [];
    class NotedRuns extends BackgroundRuns {
      override start(...given: Parameters<BackgroundRuns["start"]>): ReturnType<BackgroundRuns["start"]> {
        begun.push(given);
        return super.start(...given);
      }
    }
    const troubles: unknown[] = [];
    const watch = new GateWatch({
      session,
      store,
      runs: new NotedRuns(),
      isOurs: () => true,
      noticeSignal: new AbortController().signal,
      clock: { ...realClock, now: () => store.now() + 24 * 3_600_000 },
      trouble: (problem) => troubles.push(problem),
    });
    await watch.round();
    expect(begun).toHaveLength(1);
    expect(troubles).toEqual([expect.objectContaining({ code: "sealed" })]);
    await fleet.worker(ROTATED);
    await until(async () => (await fleet.statusOf(plain ?? "")) !== "underway");
  });
});
