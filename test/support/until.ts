// Waiting for what another process brings about. Nothing that happens in the test's own process is waited for like this:
// it has events, or a clock that can be moved.
import { setTimeout as pause } from "node:timers/promises";

/** Looks until there is something to see, and gives that; fails when there is nothing after `withinMs`. */
export async function until<Seen>(look: () => Seen | Promise<Seen>, withinMs = 150_000): Promise<NonNullable<Seen>> {
  const end = performance.now() + withinMs;
  // Less often the longer it takes: looking costs what the others need to bring it about.
  for (let ms = 10; ; ms = Math.min(ms * 1.2, 100)) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > end) throw new Error(`in ${withinMs / 1000} s it did not come about: ${look}`);
    await pause(ms);
  }
}
