// The key of a store: one for all processes, also for those that first need it at the same moment.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { freshFolder } from "../../../test/support/stores/homes.ts";
import { hashKeyOf } from "./store.ts";

const other = vi.hoisted(() => ({ between: undefined as (() => void) | undefined }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  return {
    ...fs,
    linkSync: (...paths: Parameters<typeof fs.linkSync>) => {
      other.between?.();
      fs.linkSync(...paths);
    },
  };
});

test("it is made once, for its user alone, and nothing is left beside it", () => {
  const home = freshFolder();
  const key = hashKeyOf(home);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(hashKeyOf(home)).toBe(key);
  expect(readdirSync(home)).toEqual(["hash.key"]);
  expect(statSync(join(home, "hash.key")).mode & 0o777).toBe(0o600);
});

test("of two processes that make it at the same moment the first one counts, for both", () => {
  const home = freshFolder();
  const file = join(home, "hash.key");
  let seen: readonly string[] = [];
  other.between = () => {
    // Until it is whole, it is not there under its name.
    seen = readdirSync(home);
    writeFileSync(file, "a".repeat(64));
  };
  expect(hashKeyOf(home)).toBe("a".repeat(64));
  other.between = undefined;
  expect(seen).not.toContain("hash.key");
  expect(readFileSync(file, "utf8")).toBe("a".repeat(64));
});

test("an empty file, as a crash could leave it, is no key", () => {
  const home = freshFolder();
  hashKeyOf(home);
  writeFileSync(join(home, "hash.key"), "");
  const key = hashKeyOf(home);
  expect(key).toHaveLength(64);
  expect(hashKeyOf(home)).toBe(key);
});
