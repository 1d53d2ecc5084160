import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunEvent } from "../../base/events/registry.ts";
import { requestStop } from "../../services/reading/run-notes.ts";
import type { DriveListeners } from "../../services/request.ts";
import { Asked } from "./asked.ts";
import { drive } from "./drive.ts";
import { Output, type Sink } from "./output.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "segno-drive-"));
  mkdirSync(join(home, "runs", "01RUN"), { recursive: true });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

const started = { seq: 1, ts: "2030-01-01T00:00:00.000Z", type: "workflow_started", run_id: "01RUN", path: [] };

/** Drives what does `during` once its run has begun; gives what was said after that. */
async function driven(during: (driving: DriveListeners) => unknown): Promise<readonly string[]> {
  let said = "";
  const stderr: Sink = { write: (part) => (said += part) };
  const stdout: Sink = { write: () => true };
  const settings = { format: "text", quiet: false, verbose: false, plain: true, env: {} } as const;
  const asked = new Asked([], {}, { cwd: home, env: { SEGNO_HOME: home } });
  const call = {
    asked,
    output: new Output(settings, { stdout, stderr }),
    faces: {} as never,
    version: "0",
    commands: [],
  };
  await drive(call, async (driving) => {
    driving.on?.({ ...started, data: { name: "w" } } as unknown as RunEvent);
    await during(driving);
    return undefined;
  });
  return said.split("\n").slice(1, -1);
}

it("says at Ctrl-C that it stops, and at the second one how to go on", async () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const lines = await driven(async () => {
    process.emit("SIGINT");
    process.emit("SIGINT");
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(130));
  });
  expect(lines).toEqual(["Stopping; Ctrl-C again leaves at once.", "Left at once. To go on: segno resume 01RUN"]);
});

it("says of a run that another shell cancelled that it was, not that Ctrl-C was pressed", async () => {
  const lines = await driven(() => {
    requestStop(join(home, "runs", "01RUN"));
    process.emit("SIGINT");
  });
  expect(lines).toEqual(["Cancelled from elsewhere (segno cancel); stopping."]);
});

it("says once how many steps were reused, and not each of them", async () => {
  const reused = (name: string, type: string) => ({
    ...started,
    type: "agent_reused",
    data: { agent_name: name, agent_type: type, key: `${name}#1` },
  });
  const lines = await driven(({ on }) => {
    for (const event of [reused("a", "set"), reused("b", "script"), reused("both", "parallel")])
      on?.(event as unknown as RunEvent);
  });
  expect(lines).toEqual(["2 steps reused: their inputs are the same (-v names them)"]);
});
