// Which files a worker drives a run with, whatever is pinned beside it.
import { describe, expect, it } from "vitest";
import { initialState } from "../../../base/events/state/fold.ts";
import { sourcesDigest } from "../../../engine/visit/hash.ts";
import type { RunLog } from "../../../storage/run-log.ts";
import { type FleetRequest, sourcesThatCount } from "./fleet-request.ts";

const OLD = new Map([["/flow.yaml", "old"]]);
const NEW = new Map([["/flow.yaml", "new"]]);

/** A run of one drive, with OLD; `pinned` by drive. */
function counting(pinned: readonly ReadonlyMap<string, string>[], sources: FleetRequest["sources"], isBegun = false) {
  const log = { runId: "R", pinned: (drive = pinned.length) => pinned[drive - 1] ?? new Map() } as unknown as RunLog;
  const request: FleetRequest = { kind: "further", cwd: "/", inputs: {}, ...(sources ? { sources } : {}) };
  const state = { ...initialState("R"), drives: 1, definitionHash: sourcesDigest(OLD) };
  return sourcesThatCount({ log, request, isBegun }, state);
}

describe("the files of a drive", () => {
  it("are those that travelled with what was asked, and nothing else takes their place", async () => {
    const travelled = { drive: 2, digest: sourcesDigest(NEW) };
    expect(await counting([OLD, NEW], travelled)).toBe(NEW);
    await expect(counting([OLD], travelled)).rejects.toThrow("files of drive 2 of run R are not in the database");
    await expect(counting([OLD, OLD], travelled)).rejects.toThrow("as they were pinned");
  });

  it("are those of the journal when none travelled, or once the drive has begun", async () => {
    expect(await counting([OLD, NEW], "as recorded")).toBe(OLD);
    expect(await counting([OLD, NEW], { drive: 1, digest: sourcesDigest(NEW) }, true)).toBe(OLD);
    await expect(counting([NEW], "as recorded")).rejects.toThrow("files of drive 1");
  });

  it("are not those of an earlier request that somebody put back", async () => {
    await expect(counting([NEW], { drive: 1, digest: sourcesDigest(NEW) })).rejects.toThrow(
      "was asked of its drive 1, and the next is 2",
    );
  });

  it("are the newest when an older Segno placed the drive, which did not say", async () => {
    expect(await counting([OLD, NEW], undefined)).toBe(NEW);
  });
});
