// What agents that work in a folder find here: something to confine their commands with, and prices for what they use.
import { PLATFORM } from "../../steps/process/platform.ts";
import { filePrices } from "../drive/price-list.ts";
import type { Surroundings } from "../request.ts";
import { broken, type Check, good } from "./check.ts";

/** Nothing is broken without one: agents then edit, and run no commands. */
export async function checkSandbox(env: Surroundings["env"]): Promise<Check> {
  const { osSandbox } = await import("../../providers/coding/os-sandbox.ts");
  const { ready, message } = osSandbox(env, PLATFORM);
  if (ready) return good("sandbox", message);
  return {
    name: "sandbox",
    ok: true,
    ready: false,
    message: `${message}: until then Claude runs no commands under sandbox: workspace`,
  };
}

export async function checkPrices(surroundings: Surroundings): Promise<Check> {
  try {
    const own = filePrices(surroundings);
    const { asOf, models } = own ?? (await import("../../providers/prices.ts")).BUILT_IN_PRICES;
    return good(
      "prices",
      `of ${asOf}, ${models.size === 1 ? "1 model" : `${models.size} models`}, ${own ? `from ${own.file}` : "built in"}`,
    );
  } catch (problem) {
    return broken("prices", problem instanceof Error ? problem.message : String(problem));
  }
}
