// One Chromium for all files of this folder: starting one costs as much as many of the tests. Without Chromium there is
// none, and the tests that need it are skipped, by name.
import { existsSync } from "node:fs";
import { chromium, type LaunchOptions } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the Chromium of all files is reached; absent where a file is run without this setup. */
    chromium?: string;
  }
}

/** The one without windows takes half the processor time. */
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));
export const isWithoutChromium = CHROMIUM === undefined;
/** Of each browser: every test has a server, which is another site, and a process for each costs a quarter of a visit. */
const ONE_PROCESS = ["--disable-site-isolation-trials", "--process-per-site", "--renderer-process-limit=1"];
export const LAUNCH: LaunchOptions = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info", ...ONE_PROCESS],
};

export default async function startChromium(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (isWithoutChromium) return undefined;
  const server = await chromium.launchServer(LAUNCH);
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
}
