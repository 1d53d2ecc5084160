// The server's time, not the browser's: a countdown must be right on a machine whose clock is wrong. Without a
// connection it stands still, since it is not known what happens.
import { signal } from "@preact/signals";

/** Milliseconds that the server is ahead of this machine. */
let ahead = 0;
let isStopped = false;
/** What the newest answers said. Each is late by the time it was on its way: the largest is the nearest to the truth. */
let heard: readonly number[] = [];
const MOST_HEARD = 8;
/** Further apart, one of the clocks was set. */
const ANOTHER_CLOCK_MS = 5000;
/** Twice a second, so that what counts in seconds is right within one. */
const TICK_MS = 500;

/** The server's time in milliseconds, updated while the page may be visible. */
export const serverNow = signal(Date.now());

/** `at`: what the server's clock said just now. */
export function setServerTime(at: string | number): void {
  const time = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(time)) return;
  const now = Date.now();
  heard = [...heard.filter((one) => Math.abs(one - (time - now)) < ANOTHER_CLOCK_MS), time - now].slice(-MOST_HEARD);
  ahead = Math.max(...heard);
  if (!isStopped) serverNow.value = now + ahead;
}

/** @param at when the server was heard last, in this machine's time: the clock goes back to it */
export function stopClock(at: number): void {
  isStopped = true;
  serverNow.value = Math.min(serverNow.value, at + ahead);
}

export function startClock(): void {
  isStopped = false;
  serverNow.value = Date.now() + ahead;
}

setInterval(() => {
  if (!isStopped && !document.hidden) serverNow.value = Date.now() + ahead;
}, TICK_MS);
document.addEventListener("visibilitychange", () => {
  if (!isStopped && !document.hidden) serverNow.value = Date.now() + ahead;
});
