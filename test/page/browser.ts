// A real browser before a real server: what a person would see.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { Served } from "../../src/server/testing/served.ts";

const CHROMIUM = "/usr/bin/chromium";
/** Then these tests are skipped, by name. */
export const isWithoutBrowser = !existsSync(CHROMIUM);
let browser: Browser | undefined;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors of scripts, what the policy refused. */
  readonly complaints: string[];
}

export interface Look {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  /** How wrong the browser's clock is. */
  readonly clockAheadMs?: number;
  /** The address that the browser uses, when it is not the server's own. */
  readonly through?: string;
}

/** A new person with a browser of their own, let in by the token. */
export async function visit(
  served: Served,
  path: string,
  { theme = "light", width = 1280, clockAheadMs = 0, through = served.url }: Look = {},
): Promise<Opened> {
  browser ??= await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--enable-precise-memory-info"],
  });
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 800 } });
  // Most of these machines are busy.
  context.setDefaultTimeout(30_000);
  if (clockAheadMs !== 0) await context.addInitScript(wrongClock, clockAheadMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${through}${path}#token=${served.token}`);
  await page.waitForSelector("main");
  return { page, context, complaints };
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

/** Runs in the page before its own script. */
function wrongClock(ahead: number): void {
  const now = Date.now.bind(Date);
  Date.now = () => now() + ahead;
}

/** Waits until a value of the page, read by the debugger, is as wanted. */
export const until = async (page: Page, expression: string): Promise<void> => {
  await expect.poll(() => page.evaluate(expression), { timeout: 30_000, interval: 100 }).toBeTruthy();
};

/** Reads until it reads the same as before: what has come to rest. */
export async function atRest<Value>(read: () => Promise<Value>): Promise<Value> {
  let last = await read();
  const isSameAgain = async (): Promise<boolean> => {
    const before = JSON.stringify(last);
    last = await read();
    return JSON.stringify(last) === before;
  };
  await expect.poll(isSameAgain, { timeout: 30_000, interval: 100 }).toBe(true);
  return last;
}

/** The same address in the same browser, anew. */
export async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.waitForSelector("main");
}

export const seen = async (page: Page, text: string | RegExp): Promise<void> => {
  await page.getByText(text).first().waitFor({ timeout: 15_000 });
};

export const quiet = ({ complaints }: Opened): void => expect(complaints).toEqual([]);

export { Served };
