// Lets time pass without waiting: what reads the time from now on reads a later one, until the test is over.
import { onTestFinished, vi } from "vitest";

export function later(ms: number): void {
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
  onTestFinished(() => clock.mockRestore());
}
