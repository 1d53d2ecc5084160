// What an agent's call costs when its model's price is not known. An agent makes many calls, and a budget that does not
// see them limits nothing; so the call is priced as the nearest known model, and where none is near, as the dearest.
import { bareName, costAt, type Priced } from "../cost.ts";
import { anthropicName, type Price, type PriceList } from "../prices.ts";
import type { TokenCounts } from "../provider.ts";

/** Whose models an agent uses; one that is not here uses anybody's. */
const OWN_MODELS: Readonly<Record<string, RegExp>> = { codex: /^(?:gpt|o\d)/, "claude-agent-sdk": /^claude/ };

export interface Unknown {
  /** The agent. */
  readonly provider: string;
  readonly model: string;
  /** It asks a server of the user's own, which may have anybody's models, or free ones. */
  readonly isElsewhere: boolean;
}

export function estimate({ provider, model, isElsewhere }: Unknown, tokens: TokenCounts, list: PriceList): Priced {
  const wanted = partsOf(model);
  const byNearness = [...list.models]
    .map(([name, price]) => ({ name, price, nearness: nearness(wanted, partsOf(name)) }))
    .sort((one, other) => other.nearness - one.nearness || dearness(other.price) - dearness(one.price));
  const [nearest] = byNearness;
  if (nearest && nearest.nearness > 0) return counted(model, nearest, tokens, list);
  const own = byNearness.find(({ name }) => OWN_MODELS[provider]?.test(name) ?? true) ?? nearest;
  return own && !isElsewhere ? counted(model, own, tokens, list) : { usd: null };
}

function counted(
  model: string,
  { name, price }: { readonly name: string; readonly price: Price },
  tokens: TokenCounts,
  list: PriceList,
): Priced {
  return {
    usd: costAt(price, tokens),
    isEstimate: true,
    warning: `No price is known for ${model}; it is counted as ${name} (prices of ${list.asOf}). Set cost.pricing.${model} in your workflow to be exact.`,
  };
}

const partsOf = (model: string): readonly string[] =>
  anthropicName(bareName(model))
    .split(/[-.:]/)
    .filter((part) => part !== "");

/** Of one family: the more of the name's beginning is the same the nearer, then the more of the rest (`mini`, `codex`). */
function nearness(wanted: readonly string[], known: readonly string[]): number {
  const firstOther = wanted.findIndex((part, index) => part !== known[index]);
  const alike = firstOther === -1 ? wanted.length : firstOther;
  if (alike === 0) return 0;
  return alike * 100 + wanted.slice(alike).filter((part) => known.slice(alike).includes(part)).length;
}

const dearness = ({ input_per_mtok, output_per_mtok }: Price): number => input_per_mtok + output_per_mtok;
