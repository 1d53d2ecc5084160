import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cachePath, isOurs, makeOurs } from "./cache-folder.ts";

describe("compiled code is kept", () => {
  it.each([
    ["where XDG_CACHE_HOME says", { XDG_CACHE_HOME: "/tmp/x", HOME: "/home/ann" }, "linux", "/tmp/x/segno"],
    ["in ~/.cache", { HOME: "/home/ann" }, "linux", "/home/ann/.cache/segno"],
    ["in ~/Library/Caches on a Mac", { HOME: "/Users/ann" }, "darwin", "/Users/ann/Library/Caches/segno"],
    ["nowhere without a home", {}, "linux", undefined],
    ["nowhere when the home is empty", { HOME: "" }, "linux", undefined],
    [
      "nowhere when the path depends on where one stands",
      { XDG_CACHE_HOME: "cache", HOME: "/home/ann" },
      "linux",
      undefined,
    ],
  ])("%s", (_, env, platform, expected) => {
    expect(cachePath(env, platform)).toBe(expected);
  });
});

describe.skipIf(process.platform === "win32")("a folder", () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "segno-cache-"));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it("is made for this user alone, with those above it", () => {
    const folder = join(base, "a", "segno");
    expect(isOurs(folder)).toBe(false);
    expect(makeOurs(folder)).toBe(true);
    expect(isOurs(folder)).toBe(true);
  });

  it("that others can enter, or that is a link, is not ours", () => {
    const open = join(base, "open");
    mkdirSync(open);
    chmodSync(open, 0o755);
    const link = join(base, "link");
    mkdirSync(join(base, "private"), { mode: 0o700 });
    symlinkSync(join(base, "private"), link);
    expect([isOurs(open), makeOurs(open), isOurs(link), makeOurs(link)]).toEqual([false, false, false, false]);
  });
});
