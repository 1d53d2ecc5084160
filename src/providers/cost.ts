// What a call cost: the file's prices, then the built-in table, then the nearest known model with a warning, else unknown.
// Unknown is null, never 0: a budget must not be kept by not looking.
import { anthropicName, BUILT_IN_PRICES, type Price, type PriceList } from "./prices.ts";
import type { TokenCounts } from "./provider.ts";

export type Pricing = Readonly<Record<string, Partial<Price>>>;

/** The file's prices, and the list that is asked for what the file does not name. */
export interface Prices {
  readonly pricing: Pricing;
  readonly list: PriceList;
}

export interface Priced {
  /** Null: no price is known for this model. */
  readonly usd: number | null;
  /** Counted as another model: the list does not know this one. */
  readonly isEstimate?: true;
  /** Something the user should know about this price. */
  readonly warning?: string;
}

/** `claude-sonnet-4-5-20250929`, `gpt-4o-2024-08-06` and `claude-3-5-haiku-latest` are the model before the date. */
const withoutVersion = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");

/** `openai/gpt-5` and `us.anthropic.claude-…` are priced as the model they lead to. */
export const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1);

function longestPrefix(model: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  for (const name of names) if (model.startsWith(`${name}-`) && name.length > (best?.length ?? 0)) best = name;
  return best;
}

interface Found {
  readonly price: Partial<Price>;
  readonly warning?: string;
}

function findPrice(model: string, { pricing, list }: Prices): Found | undefined {
  const own = pricing[model] ?? pricing[bareName(model)];
  if (own) return { price: own };
  const name = anthropicName(bareName(model));
  const known = list.models.get(model) ?? list.models.get(name) ?? list.models.get(withoutVersion(name));
  if (known) return { price: known };
  const near = longestPrefix(name, list.models.keys());
  const price = near === undefined ? undefined : list.models.get(near);
  if (!price) return undefined;
  return {
    price,
    warning: `No price is known for ${model}; it is counted as ${near} (prices of ${list.asOf}). Set cost.pricing.${model} in your workflow to be exact.`,
  };
}

/** Cached tokens are part of the input and have prices of their own. */
export function costAt(price: Partial<Price>, tokens: TokenCounts): number {
  const { input_per_mtok = 0, output_per_mtok = 0, cache_read_per_mtok = 0, cache_write_per_mtok = 0 } = price;
  const fresh = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite);
  return (
    (fresh * input_per_mtok +
      tokens.output * output_per_mtok +
      tokens.cacheRead * cache_read_per_mtok +
      tokens.cacheWrite * cache_write_per_mtok) /
    1_000_000
  );
}

/** Prices the tokens of one call. */
export function priceOf(
  model: string,
  tokens: TokenCounts,
  pricing: Pricing = {},
  list: PriceList = BUILT_IN_PRICES,
): Priced {
  const found = findPrice(model, { pricing, list });
  if (!found) return { usd: null };
  const usd = costAt(found.price, tokens);
  return found.warning ? { usd, warning: found.warning, isEstimate: true } : { usd };
}
