import { describe, expect, it } from "vitest";
import type { LeftBy } from "../../storage/fleet.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { whyTheyWait } from "./queued-run.ts";

const worker = (name: string, isDraining = false) => ({ id: `${name}:0123456789`, isDraining });

const lacksPlugins = (name: string, ...missing: string[]): LeftBy => ({
  worker: `${name}:0123456789`,
  requirement: { kind: "plugins", missing, folder: `/${name}` },
});

const lacksKey = (name: string): LeftBy => ({ worker: `${name}:0123456789`, requirement: { kind: "key" } });

async function why(workers: readonly object[], leftBy: readonly LeftBy[]) {
  const run = { runId: "r", waits: { sealedWith: null, until: null } } as StoredRun;
  const fleet = { workers: async () => workers, leftBy: async () => new Map([["r", leftBy]]) };
  return (await whyTheyWait({ fleet } as unknown as RunStore, [run]))(run);
}

describe("a run that waits for a worker", () => {
  it("says which plugins nobody has loaded, where the workers stand, and what to do", async () => {
    const left = [
      lacksPlugins("a", "There is no step type `shout`"),
      lacksPlugins("b", "There is no step type `shout`"),
    ];
    expect(await why([worker("a"), worker("b")], left)).toEqual({
      short: "no worker that is there has its plugins",
      sentence:
        "No worker that is there can take the run: a, which was started in /a, has not loaded its plugins; b, which was started in /b, has not loaded its plugins (There is no step type `shout`). Start a worker in the project's folder, where it is trusted (`segno trust`); the run waits for it.",
    });
  });

  it("says that some have left it while another may take it", async () => {
    expect(await why([worker("a"), worker("b")], [lacksPlugins("a", "There is no provider `parrot`")])).toEqual({
      short: "not every worker that is there has its plugins",
      sentence:
        "Not every worker that is there can take the run: a, which was started in /a, has not loaded its plugins (There is no provider `parrot`). It waits for one of the others to be free. Start a worker in the project's folder, where it is trusted (`segno trust`).",
    });
  });

  it("says nothing of workers that are gone or about to leave", async () => {
    expect(await why([worker("b")], [lacksPlugins("a")])).toBeUndefined();
    expect(await why([worker("a", true), worker("b")], [lacksPlugins("a")])).toBeUndefined();
    expect((await why([worker("a"), worker("b", true)], [lacksPlugins("a")]))?.short).toBe(
      "no worker that is there has its plugins",
    );
  });

  it("tells workers without the key from workers without the plugins", async () => {
    expect((await why([worker("a")], [lacksKey("a")]))?.short).toBe("no worker that is there has its key");
    expect(await why([worker("a"), worker("b")], [lacksKey("a"), lacksPlugins("b")])).toEqual({
      short: "no worker that is there has its key and its plugins",
      sentence:
        "No worker that is there can take the run: a has not the key that it is sealed with; b, which was started in /b, has not loaded its plugins. Start a worker in the project's folder, where it is trusted (`segno trust`), and with the key in its SEGNO_SEAL_KEY; the run waits for it.",
    });
  });

  it("names some of a large fleet", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const said = await why(
      names.map((name) => worker(name)),
      names.map((name) => lacksKey(name)),
    );
    expect(said?.sentence).toContain("c has not the key that it is sealed with; nor have 2 more.");
  });
});
