// The page beside `segno run --web`, once the run has ended.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPage, type WebPage } from "./index.ts";

let folder: string;
let page: WebPage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "segno-web-"));
  const session = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, home: join(folder, "home") };
  page = await openPage({ session, root: folder, keep: false, say: () => {} });
});
afterEach(async () => {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody opens the page; gives how to close it. */
async function open(): Promise<() => void> {
  const { origin, hash } = new URL(page.addressOf(null));
  const asked = await fetch(`${origin}/api/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.replace("#token=", "") }),
  });
  const { session } = (await asked.json()) as { session: string };
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${session}` };
  const stream = await fetch(`${origin}/api/stream?list=1`, { headers, signal: leaving.signal });
  expect(stream.status).toBe(200);
  return () => leaving.abort();
}

it("waits for somebody who opens it after the run, and then until it is closed", async () => {
  const over = page.untilClosed(new AbortController().signal, 600_000);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  const close = await open();
  expect([isOver, page.wasOpened]).toEqual([false, true]);
  close();
  await over;
});

it("is gone at once where nobody is there to open it, and after Ctrl-C", async () => {
  await page.untilClosed(new AbortController().signal, 0);
  await page.untilClosed(AbortSignal.abort(), 600_000);
  expect(page.wasOpened).toBe(false);
});
