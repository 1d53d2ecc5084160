// Lets time pass without waiting: what reads the time from now on reads a later one, until the test is over.
import { onTestFinished, vi } from "vitest";

let ahead = 0;

/** As often as the test likes: by so much more each time. */
export function later(ms: number): void {
  ahead += ms;
  if (ahead > ms) return;
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
  onTestFinished(() => {
    clock.mockRestore();
    ahead = 0;
  });
}
