// The moment before the outside is touched. A process can stand still at any time and wake up when others have its run: it
// asks once more, and acts in the same tick, so that there is no moment in between for it to stand still in.
import type { Caller } from "../steps/caller.ts";

/** Calls `act` in the tick in which the run is known to be this process's; throws when it is another's. */
export async function whenOurs<Value>(
  { assertLease }: Pick<Caller, "assertLease">,
  act: () => Value,
): Promise<Awaited<Value>> {
  for (let looking = assertLease(); looking; looking = assertLease()) await looking;
  return await act();
}
