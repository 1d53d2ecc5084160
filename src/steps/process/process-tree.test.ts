// On Windows there are no groups, and a process keeps its parent's number when that is gone: the decisions, with Windows
// passed in.
import { describe, expect, it } from "vitest";
import { ProcessTree } from "./end-tree.ts";
import type { ProcessEntry } from "./system.ts";
import { windows } from "./windows.ts";

const START = Date.UTC(2026, 10, 17, 1, 0, 0);
const entry = (pid: number, parent: number, seconds: number): ProcessEntry => ({
  pid,
  parent,
  group: 0,
  session: 0,
  zombie: false,
  began: START + seconds * 1000,
  identity: new Date(START + seconds * 1000).toISOString(),
});
const aliveOf = async (...tables: (readonly ProcessEntry[])[]): Promise<number[]> => {
  const processes = async () => new Map((tables.shift() ?? []).map((one) => [one.pid, one]));
  const tree = new ProcessTree({ pid: 100, identity: new Date(START).toISOString() }, { ...windows, processes });
  let found: ProcessEntry[] = [];
  while (tables.length > 0) found = await tree.alive();
  return found.map(({ pid }) => pid);
};

describe("what a step started on Windows", () => {
  it("are its children and theirs, in whatever order they are listed", async () => {
    expect(await aliveOf([entry(102, 101, 2), entry(101, 100, 1), entry(100, 7, 0), entry(200, 7, 1)])).toEqual([
      102, 101, 100,
    ]);
  });

  it("are also children whose parent was killed with its engine", async () => {
    expect(await aliveOf([entry(101, 100, 1), entry(102, 101, 2)])).toEqual([101, 102]);
  });

  it("are not those of another process that has its number by now", async () => {
    expect(await aliveOf([entry(100, 7, 600), entry(101, 100, 601)])).toEqual([]);
  });

  it("are its own children where its number is another's by now", async () => {
    expect(await aliveOf([entry(100, 7, 600), entry(101, 100, 1), entry(103, 100, 601)])).toEqual([101]);
  });

  it("are not older processes, whose parent had the number before", async () => {
    expect(await aliveOf([entry(101, 100, -60)])).toEqual([]);
  });

  it("stay known when what started them is gone", async () => {
    const before = [entry(100, 7, 0), entry(101, 100, 1), entry(102, 101, 2)];
    expect(await aliveOf(before, [entry(102, 101, 2)])).toEqual([102]);
  });

  it("are found by number alone where no start is known, as under Wine", async () => {
    const unknown = (pid: number, parent: number) => ({ ...entry(pid, parent, 0), began: Number.NaN, identity: "" });
    expect(await aliveOf([unknown(100, 7), unknown(101, 100), unknown(200, 7)])).toEqual([100, 101]);
  });

  it("cannot be said where no processes can be seen", async () => {
    const tree = new ProcessTree({ pid: 100, identity: "" }, { ...windows, processes: async () => undefined });
    expect(await tree.alive()).toEqual([]);
    expect(tree.isUnseen).toBe(true);
  });
});
