// A sliding pool: as soon as one branch ends or waits the next begins. Aborting one stops the others, if the caller wants it so.
import { setMaxListeners } from "node:events";
import type { BranchBody, BranchOptions } from "../engine/durable.ts";
import { DriveFiber, FiberPool } from "./fiber.ts";
import { follow } from "./follow-signal.ts";

export function slidingPool<Branch, End>(
  branches: readonly Branch[],
  body: BranchBody<Branch, End>,
  { concurrency, signal, stopsOthers, fiber }: BranchOptions<Branch, End>,
): Promise<readonly (End | undefined)[]> {
  const ends = new Array<End | undefined>(branches.length).fill(undefined);
  const others = new AbortController();
  // Every branch that runs listens; a thousand of them are no leak.
  setMaxListeners(0, others.signal);
  const leave = follow(signal, others);
  let next = 0;
  const hasNext = (): boolean => next < branches.length && !others.signal.aborted;
  const ended = new Promise<void>((resolve, reject) => {
    const runNext = async (): Promise<void> => {
      const index = next++;
      const own = pool.begin();
      const end = await body(branches[index] as Branch, others.signal, fiber && own);
      ends[index] = end;
      if (stopsOthers(end)) others.abort(new Error("another member of the group failed"));
      pool.end();
      if (pool.isEmpty && !hasNext()) resolve();
    };
    const startNext = (): void => void runNext().catch(reject);
    const pool = new FiberPool(concurrency, fiber instanceof DriveFiber ? fiber : undefined, hasNext, startNext);
    while (hasNext() && pool.hasPlace) startNext();
    if (pool.isEmpty) resolve();
  });
  return ended.finally(leave).then(() => ends);
}

export const never = <Value>(): Promise<Value> => new Promise(() => {});
