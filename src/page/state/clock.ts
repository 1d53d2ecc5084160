// The server's time, not the browser's: a countdown must be right on a machine whose clock is wrong. While there is no
// connection it stands still, since nobody knows what happens.
import { signal } from "@preact/signals";

/** Milliseconds that the server is ahead of this machine. */
let ahead = 0;
let isStopped = false;

/** The server's time in milliseconds, changed once a second while somebody could be looking. */
export const serverNow = signal(Date.now());

/** `at`: what the server's clock said just now. */
export function setServerTime(at: string | number): void {
  const time = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(time)) return;
  ahead = time - Date.now();
  if (!isStopped) serverNow.value = time;
}

export function stopClock(): void {
  isStopped = true;
}

export function startClock(): void {
  isStopped = false;
  serverNow.value = Date.now() + ahead;
}

setInterval(() => {
  if (!isStopped && !document.hidden) serverNow.value = Date.now() + ahead;
}, 1000);
document.addEventListener("visibilitychange", () => {
  if (!isStopped && !document.hidden) serverNow.value = Date.now() + ahead;
});
