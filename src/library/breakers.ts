// Circuit breakers that runs of a store share.
import type { BreakerView as Breaker, BreakersAnswer } from "../services/governance/breakers.ts";
import type { StoreOptions } from "./options.ts";
import { STANDING, standingOf } from "./standing.ts";
import { checkCall, checkGiven } from "./wrong-call.ts";

export type { Breaker, BreakersAnswer };

async function list(options: StoreOptions = {}): Promise<BreakersAnswer> {
  await checkGiven("breakers.list", options, STANDING);
  const { listBreakers } = await import("../services/governance/breakers.ts");
  return listBreakers(standingOf(options));
}

async function reset(name: string, options: StoreOptions = {}): Promise<BreakersAnswer> {
  await checkCall("breakers.reset", ["the name of a breaker", name], options, STANDING);
  const { resetBreaker } = await import("../services/governance/breakers.ts");
  return resetBreaker(standingOf(options), { name });
}

/**
 * Circuit breakers: `list` how each stands, or `reset` one, which closes it.
 *
 * @example
 * for (const { name, status } of (await breakers.list()).breakers) if (status === "open") await breakers.reset(name);
 *
 * @deprecated Use `segno.breakers` of a client, which `createSegno` makes.
 */
export const breakers = { list, reset };
