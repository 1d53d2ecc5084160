// A real browser before a real server: what a person would see.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";
import { Served } from "../../../../test/support/served.ts";
import { isWithoutChromium, LAUNCH } from "./global-setup.ts";

/** Then these tests are skipped, by name. */
export const isWithoutBrowser = isWithoutChromium;

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
  /** Nobody is given this browser afterwards: the test changes more of it than its storage. */
  readonly isAlone?: boolean;
}

const [WIDTH, HEIGHT] = [1280, 800];

let browser: Browser | undefined;
/** Browsers that a test has left, by what they look like: making one costs more than a visit does. */
const left = new Map<string, Opened[]>();
/** Those that a test or a file has. */
const inUse = new Set<Opened>();

/** A person with a browser in which nobody has been here before, let in by the token. It is theirs until the test is over. */
export async function visit(served: Served, path: string, look: Look = {}): Promise<Opened> {
  const opened = await stay(served, path, look);
  onTestFinished(async ({ task }) => {
    inUse.delete(opened);
    if (look.isAlone || task.result?.state !== "pass" || opened.page.isClosed()) await opened.context.close();
    else await leave(opened, look);
  });
  return opened;
}

/** The same until all tests of the file are over, for tests that go from view to view. */
export async function stay(served: Served, path: string, look: Look = {}): Promise<Opened> {
  const opened = (look.isAlone ? undefined : left.get(nameOf(look))?.pop()) ?? (await newPerson(look));
  inUse.add(opened);
  await opened.page.goto(`${look.through ?? served.url}${path}#token=${served.token}`);
  await opened.page.waitForSelector("main");
  return opened;
}

const nameOf = ({ theme, width, clockAheadMs }: Look): string => `${theme} ${width} ${clockAheadMs}`;

async function newPerson({ theme = "light", width = WIDTH, clockAheadMs = 0 }: Look): Promise<Opened> {
  const endpoint = inject("chromium");
  browser ??= endpoint === undefined ? await chromium.launch(LAUNCH) : await chromium.connect(endpoint);
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: HEIGHT } });
  // To end what hangs, before the test itself is ended: nothing here depends on how fast a machine is.
  context.setDefaultTimeout(120_000);
  if (clockAheadMs !== 0) await context.addInitScript(wrongClock, clockAheadMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** To the next person, as if nobody had been there. */
async function leave(opened: Opened, look: Look): Promise<void> {
  const { page, complaints } = opened;
  await page.evaluate("localStorage.clear()");
  await page.goto("about:blank");
  await page.setViewportSize({ width: look.width ?? WIDTH, height: HEIGHT });
  for (const event of ["request", "response"] as const) page.removeAllListeners(event);
  complaints.length = 0;
  left.set(nameOf(look), [...(left.get(nameOf(look)) ?? []), opened]);
}

/** The next view in the same page, as a link leads there: much cheaper than a visit. */
export async function go({ page }: Opened, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"));`,
  );
}

/** After each file. Browsers that its tests have left are for the next one, where all files have the same Chromium. */
export async function closeBrowser(): Promise<void> {
  await Promise.all([...inUse].map(({ context }) => context.close()));
  inUse.clear();
  if (inject("chromium") !== undefined) return;
  left.clear();
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
  await expect.poll(() => page.evaluate(expression), { interval: 100 }).toBeTruthy();
};

/** Reads until it reads the same as before: what has come to rest. */
export async function atRest<Value>(read: () => Promise<Value>): Promise<Value> {
  let last = await read();
  const isSameAgain = async (): Promise<boolean> => {
    const before = JSON.stringify(last);
    last = await read();
    return JSON.stringify(last) === before;
  };
  await expect.poll(isSameAgain, { interval: 100 }).toBe(true);
  return last;
}

/** The same address in the same browser, anew. */
export async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.waitForSelector("main");
}

export const seen = async (page: Page, text: string | RegExp): Promise<void> => {
  await page.getByText(text).first().waitFor();
};

export const quiet = ({ complaints }: Opened): void => expect(complaints).toEqual([]);

export { Served };
