// What an agent used, told call by call while it works, so that a budget can end it in the middle.
import type { Caller } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import { type Prices, priceOf } from "../cost.ts";
import { asUsage } from "../tokens.ts";
import type { AgentUse } from "./agent.ts";
import { estimate } from "./estimate.ts";

export interface UsageTeller {
  readonly attempt: Caller;
  readonly purpose: ModelRequest["purpose"];
  /** The agent. */
  readonly provider: string;
  /** It asks a server of the user's own. */
  readonly isElsewhere: boolean;
  /** As the file names it. */
  readonly model: string;
  readonly prices: Prices;
  readonly warn: (message: string) => void;
}

export function tellUse(teller: UsageTeller, { tokens, model: answered, costUsd }: AgentUse): boolean {
  const { attempt, purpose, prices } = teller;
  const model = answered ?? teller.model;
  // The file's prices are under the name that the file uses.
  const listed = priceOf(prices.pricing[teller.model] ? teller.model : model, tokens, prices.pricing, prices.list);
  if (listed.usd === null && costUsd === "later") return false;
  const isOwn = listed.usd === null && typeof costUsd === "number";
  const priced = listed.usd === null && !isOwn ? estimate({ ...teller, model }, tokens, prices.list) : listed;
  if (priced.warning) teller.warn(priced.warning);
  const isEstimate = isOwn || priced.isEstimate === true;
  const answerer = { model, provider: teller.provider, ...(answered === undefined ? {} : { responseModel: answered }) };
  const usage = asUsage(answerer, { tokens, costUsd: isOwn ? costUsd : priced.usd, isEstimate });
  if (usage.model === undefined) return true;
  attempt.emit("agent_usage", {
    agent_name: attempt.node,
    purpose,
    ...usage,
    under_way: true,
  });
  return true;
}
