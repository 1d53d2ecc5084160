// `segno run --web` after its run has ended: keeps the page served until it is closed or Ctrl-C is pressed.
import { dirname, resolve } from "node:path";
import { pathWithin } from "../../base/errors/path-within.ts";
import type { Call } from "./command.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long a page that has not been opened stays after the run. */
const GRACE_MS = 30_000;

const notOpened = (graceMs: number): string =>
  graceMs > 0
    ? `The run has ended, and its page has not been opened yet: you have ${graceMs / 1000} s to open it; then it stays until you close it. Ctrl-C ends it now, and --web-keep keeps it.`
    : "The run has ended, and its page with it: it had not been opened. --web-keep keeps it until Ctrl-C.";

/** Called as soon as there is a run, with a function that prints where it can be seen. */
export type RunBegan = (runId: string, say: (text: string) => void) => void;

/** Does the work beside the page, and gives its exit code once the page is closed. */
export async function besidePage(
  { asked, output, faces }: Call,
  work: (began: RunBegan) => Promise<number>,
): Promise<number> {
  const { openPage } = await faces.server();
  const keep = asked.flag("web-keep");
  const root = rootOf(asked.required(0), asked.cwd);
  const say = (text: string): void => output.say(text);
  const page = await openPage({ session: asked.session, root, keep, say });
  let isSaid = false;
  const began: RunBegan = (runId, sayBesideRun) => {
    if (!isSaid) sayBesideRun(`Segno's page: ${page.addressOf(runId)}`);
    isSaid = true;
  };
  try {
    const code = await work(began);
    if (keep && !isSaid) say(`Segno's page: ${page.addressOf(null)}`);
    if (keep) say("The run has ended; the page stays until Ctrl-C.");
    // In a script or a build there is no user to open it.
    const graceMs = output.live && !asked.session.env.CI ? GRACE_MS : 0;
    if (!keep && isSaid && !page.wasOpened) say(notOpened(graceMs));
    await interruptible((signal) => page.untilClosed(signal, graceMs));
    return code;
  } finally {
    await page.close();
  }
}

/** The working directory, or the file's own folder when it is elsewhere. */
export function rootOf(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  return pathWithin(cwd, path) === undefined ? dirname(path) : cwd;
}

async function interruptible(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const name of SIGNALS) process.on(name, end);
  try {
    await wait(stop.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, end);
  }
}
