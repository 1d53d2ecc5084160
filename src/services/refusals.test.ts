// What is said when nothing can be run, to each reader in their own words.
import { describe, expect, it } from "vitest";
import { COMMAND_LINE, type Reader, type Result } from "../base/results/index.ts";
import { LIBRARY_USER } from "../frontends/library/reader.ts";
import { mcpClient } from "../frontends/mcp/reader.ts";
import { ChangedInDatabase, LeaseHeld, StoreError, type StoreFault } from "../storage/store-error.ts";
import { orRefusedAtOnce, UnknownRun } from "./refusals.ts";

const AGENT = mcpClient({ mayAnswerGates: false });
const said = (problem: Error, reader = COMMAND_LINE): string => {
  const { error, errors } = orRefusedAtOnce({ reader }, {}, (): Result => {
    throw problem;
  });
  return [error, errors[0]?.hint].filter(Boolean).join(" ");
};
const broken = (code: StoreFault): StoreError => new StoreError(code, "state.db: it is of no use", "state.db");

describe("a store that cannot be used", () => {
  it.each([
    ["full", "segno runs prune removes old runs.", "prune() removes old runs."],
    [
      "corrupt",
      "segno doctor --reindex makes a lost index anew.",
      "doctor({ reindex: true }) makes a lost index anew.",
    ],
    ["io", "segno doctor looks for the reason.", "doctor() looks for the reason."],
  ] as const)("when %s", (code, person, program) => {
    expect(said(broken(code))).toContain(person);
    expect(said(broken(code), LIBRARY_USER)).toContain(program);
    // There is no tool for it: an agent is told only what is wrong.
    expect(said(broken(code), AGENT)).toBe("state.db: it is of no use");
  });
});

describe("what somebody changed in a fleet's database", () => {
  it("is answered with what leaves it behind, and never with an index that is made anew", () => {
    const answer = new ChangedInDatabase("it is not used.", "db", { runId: "01RUN", key: "each#1[eu].ask" });
    expect(said(answer)).toContain("segno resume 01RUN, with --from each.");
    expect(said(answer, LIBRARY_USER)).toContain('resume("01RUN")');
    expect(said(new ChangedInDatabase("it is not used.", "db"))).toBe("it is not used.");
  });
});

describe("a run that cannot be had", () => {
  it("is driven elsewhere", () => {
    const held = new LeaseHeld("01RUN", { host: "box", pid: 7, since: "12:00" });
    expect(said(held)).toContain("stop it with: segno cancel 01RUN");
    expect(said(held, AGENT)).toContain('stop it with: run_cancel {"run_id":"01RUN"}');
    expect(said(held, LIBRARY_USER)).toContain('stop it with: cancel("01RUN")');
  });

  it("is not there", () => {
    const hintFor = (reader?: Reader) => new UnknownRun("01NO", reader).result.errors[0]?.hint;
    expect(new UnknownRun("01NO").result.error).toBe("there is no run 01NO");
    expect(new UnknownRun("01NO").message).toBe("there is no run 01NO. `segno runs` lists those that are there.");
    expect(hintFor()).toBe("`segno runs` lists those that are there.");
    expect(hintFor(AGENT)).toBe("`run_list` lists those that are there.");
    expect(hintFor(LIBRARY_USER)).toBe("`runs()` lists those that are there.");
  });
});
