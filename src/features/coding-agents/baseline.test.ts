import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Baseline, changesSince } from "./changes.ts";

describe("what an agent changed over several attempts of a visit", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "segno-baseline-"));
    mkdirSync(join(folder, "work"));
    writeFileSync(join(folder, "work/a.txt"), "one\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const opened = (key: string, interrupted = false) => {
    const session = { id: "s", provider: "codex", interrupted };
    return new Baseline({ key, spillDir: join(folder, "run/spill"), session }, join(folder, "work"));
  };
  const changed = async (key: string, interrupted = false) => {
    const { files } = await changesSince(await opened(key, interrupted).found(), join(folder, "work"));
    return files.map(({ path, added }) => `${path} +${added}`);
  };

  it("counts what came before the process ended, until the step has its answer", async () => {
    await opened("fix#1").found();
    writeFileSync(join(folder, "work/a.txt"), "one\ntwo\n");
    expect(await changed("fix#1")).toEqual(["a.txt +1"]);
    expect(await changed("fix#2")).toEqual([]);
    await opened("fix#1").putAside();
    expect(await changed("fix#1")).toEqual([]);
    expect(readdirSync(join(folder, "run/agents"))).toHaveLength(2);
  });

  it("counts what came before an answer that was not recorded", async () => {
    await opened("fix#1").found();
    writeFileSync(join(folder, "work/a.txt"), "one\ntwo\n");
    await opened("fix#1").putAside();
    expect(await changed("fix#1", true)).toEqual(["a.txt +1"]);
    await opened("fix#1", true).putAside();
    expect(await changed("fix#1", true)).toEqual(["a.txt +1"]);
  });

  it("begins anew when what was kept cannot be read", async () => {
    await opened("fix#1").found();
    const [name = ""] = readdirSync(join(folder, "run/agents"));
    writeFileSync(join(folder, "run/agents", name), "cut off");
    expect(await changed("fix#1")).toEqual([]);
  });
});
