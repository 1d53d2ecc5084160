// A run that leaves nothing behind: its journal is a list. Scenarios are many and short; the disk would be most of their time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../base/events/registry.ts";
import { interpretRun } from "../../services/drive/interpret-run.ts";
import type { ExportTarget } from "../../services/drive/port.ts";
import type { DriveSetup } from "../../services/drive/setup.ts";
import { isGoverned } from "../../services/workflows/valid-workflow.ts";
import type { DriveLog } from "../../storage/drive.ts";

interface MemoryRun extends DriveLog, ExportTarget {
  readonly folder: string;
  readonly events: readonly RunEvent[];
  close(): void;
}

/** `where`: a folder that is named and never made, for a run in which nothing is started. */
export function memoryRun(runId: string, where?: string): MemoryRun {
  const events: RunEvent[] = [];
  let folder: string | undefined;
  return {
    runId,
    events,
    get lastSeq() {
      return events.at(-1)?.seq ?? 0;
    },
    /** Made only if something is spilled. */
    get folder() {
      if (where !== undefined) return where;
      folder ??= mkdtempSync(join(tmpdir(), "segno-scenario-"));
      return folder;
    },
    append(batch) {
      for (const event of batch) events.push(event);
    },
    assertLease: () => undefined,
    exportEvents: () => {},
    appendErrors: () => {},
    close() {
      if (folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Drives a run to its end, or to where it waits. `key` is the one that its secrets are hashed with. */
export async function driveInMemory(setup: DriveSetup, run: MemoryRun, key: string): Promise<void> {
  const governed = isGoverned(setup.workflow)
    ? await (await import("../../services/resilience/index.ts")).guardOf({ ...setup, run })
    : undefined;
  try {
    await interpretRun(setup, {}, { log: run, hashing: { env: setup.session.env, key }, guard: governed?.guard });
  } finally {
    await governed?.close();
  }
}
