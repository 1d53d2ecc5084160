// A worker that has not the folder of the workflow's files: they come with the run, and scripts run beside them.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPostgres } from "./cluster.ts";
import { TestFleet } from "./fleet.ts";

const ROOT = `
workflow: { name: root, entry_point: make }
agents:
  - { name: make, type: script, command: sh, args: [-c, 'echo made > made.txt; ls'], routes: [{ to: call }] }
  - { name: call, type: workflow, workflow: ./sub/child.yaml, routes: [{ to: read }] }
  - { name: read, type: script, command: sh, args: [-c, 'cat made.txt; basename "$PWD"'] }
output: { seen: "{{ make.output.stdout }}", read: "{{ read.output.stdout }}", child: "{{ call.output.where }}" }
`;
const CHILD = `
workflow: { name: child, entry_point: where }
agents:
  - { name: where, type: script, command: sh, args: [-c, 'ls; ls ..'], working_dir: . }
output: { where: "{{ where.output.stdout }}" }
`;

const failing = (step: string): string => `
workflow: { name: lacking, entry_point: a }
agents:
  - { name: a, type: script, ${step} }
`;

const asking = (command: string): string => `
workflow: { name: asking, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "Go on?"
    notify: { ${command} }
    options: [{ label: "Yes", value: "yes", route: $end }]
`;

const AGENT = `
workflow: { name: agent, entry_point: a, runtime: { provider: claude-agent-sdk } }
agents:
  - { name: a, model: claude-sonnet-4-5, prompt: "Mend it." }
`;

/** Placed from a folder that is gone before any worker is there. */
async function placedFromAfar(fleet: TestFleet, text: string): Promise<string> {
  const other = fleet.elsewhere();
  const project = join(other.folder, "project");
  mkdirSync(join(project, "sub"), { recursive: true });
  writeFileSync(join(project, "file.yaml"), text);
  writeFileSync(join(project, "sub", "child.yaml"), CHILD);
  const { run_id, errors } = await other.json(["run", "project/file.yaml", "--detach", "--on", fleet.url]);
  if (run_id === null) throw new Error(errors[0]?.message);
  renameSync(project, join(other.folder, "away"));
  return run_id;
}

describe.skipIf(!hasPostgres)("a worker without the folder of a run", () => {
  it("runs its scripts beside its workflow files, as they were laid out, and removes them when the run has ended", async () => {
    const fleet = await TestFleet.start();
    const run = await placedFromAfar(fleet, ROOT);
    await fleet.worker();
    expect(await fleet.allEnded([run])).toEqual(["completed"]);
    const { output } = await fleet.json(["show", run]);
    expect(output).toEqual({
      seen: expect.stringMatching(/file\.yaml\nmade\.txt\nsub/),
      read: expect.stringMatching(/^made\nproject/),
      child: expect.stringMatching(/^child\.yaml\nfile\.yaml\nmade\.txt/),
    });
    expect(existsSync(join(fleet.folder, "worker", "brought", run))).toBe(false);
  });

  it("says of what a script lacks that it is not on the worker", async () => {
    const fleet = await TestFleet.start();
    const runs = [
      await placedFromAfar(fleet, failing("command: ./deploy.sh")),
      await placedFromAfar(
        fleet,
        failing(
          "command: sh, args: [deploy.sh], routes: [{ to: $end }, { on_error: '*', retry: { max: 1, initial_seconds: 0.1 } }]",
        ),
      ),
      await placedFromAfar(fleet, failing("command: pwd, working_dir: ./build")),
    ];
    await fleet.worker();
    expect(await fleet.allEnded(runs)).toEqual(["failed", "failed", "failed"]);
    const messages = await Promise.all(runs.map(async (run) => (await fleet.json(["show", run])).errors[0]?.message));
    expect(messages).toEqual([
      expect.stringMatching(/the command .\/deploy.sh is not on this worker, which has no folder .*project/),
      expect.stringContaining("deploy.sh is not on this worker"),
      expect.stringMatching(/the working directory .*project\/build of pwd is not on this worker/),
    ]);
  });

  it("tells people from beside its workflow files, and says what the command that tells them lacks", async () => {
    const fleet = await TestFleet.start();
    const runs = [
      await placedFromAfar(fleet, asking("command: sh, args: [-c, 'test -e file.yaml']")),
      await placedFromAfar(fleet, asking("command: ./tell.sh")),
      await placedFromAfar(fleet, asking("command: sh, args: [tell.sh]")),
    ];
    await fleet.worker();
    expect(await fleet.allEnded(runs)).toEqual(["paused", "paused", "paused"]);
    const told = await Promise.all(
      runs.map(async (run) => (await fleet.events(run)).find(({ type }) => type === "gate_notified")?.data),
    );
    expect(told).toMatchObject([
      { ok: true },
      {
        ok: false,
        message: expect.stringMatching(/the command .\/tell.sh is not on this worker, which has no folder/),
      },
      { ok: false, message: expect.stringMatching(/tell.sh is not on this worker, which has no folder/) },
    ]);
  });

  it("lets no agent work in a folder that it has not", async () => {
    const fleet = await TestFleet.start();
    const run = await placedFromAfar(fleet, AGENT);
    await fleet.worker();
    expect(await fleet.allEnded([run])).toEqual(["failed"]);
    expect((await fleet.json(["show", run])).errors[0]?.message).toMatch(
      /the working directory .*project of a is not on this worker. Create it on every worker/,
    );
  });
});
