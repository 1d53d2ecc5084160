// Checks the lease immediately before a call goes out. A process can be suspended at any time and wake up when another
// worker has its run. Check and call are in the same tick, so that it cannot be suspended between them.
import type { Caller } from "./caller.ts";

/** Calls `act` in the tick in which the run is known to be this process's; throws when it is another's. */
export async function whenOurs<Value>(
  { assertLease }: Pick<Caller, "assertLease">,
  act: () => Value,
): Promise<Awaited<Value>> {
  for (let looking = assertLease(); looking; looking = assertLease()) await looking;
  return await act();
}
