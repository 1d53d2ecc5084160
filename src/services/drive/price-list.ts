// The list of prices that a file may take the place of: SEGNO_PRICES, or prices.json in Segno's home.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { parseJson } from "../../json/bounded.ts";
import type { Price, PriceList } from "../../providers/prices.ts";
import { refusal } from "../refusals.ts";
import { homeOf } from "../session/home.ts";
import type { Session } from "../session/session.ts";

/** Undefined: the built-in list holds. Throws a refusal when the file cannot be used. */
export function filePrices(
  session: Pick<Session, "cwd" | "env" | "home">,
): (PriceList & { readonly file: string }) | undefined {
  const named = session.env.SEGNO_PRICES;
  const own = join(homeOf(session), "prices.json");
  const file = named ? resolve(session.cwd, named) : existsSync(own) ? own : undefined;
  return file === undefined ? undefined : { ...readPrices(file), file };
}

function readPrices(file: string): PriceList {
  let content: unknown;
  try {
    content = parseJson(readFileSync(file, "utf8"));
  } catch (problem) {
    throw wrong(file, problem instanceof Error ? problem.message : String(problem));
  }
  if (!isMapping(content) || typeof content.as_of !== "string" || !isMapping(content.models))
    throw wrong(file, "it needs `as_of`, a date, and `models`, prices by the name of the model");
  const models = new Map(
    Object.entries(content.models).map(([model, price]) => [model, priceOf(price, `${file}: ${model}`)] as const),
  );
  return { asOf: content.as_of, models };
}

const KEYS = ["input_per_mtok", "output_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok"] as const;

/** What a cache costs is the input's price where it is left out. */
function priceOf(written: unknown, where: string): Price {
  if (!isMapping(written)) throw wrong(where, `it needs ${KEYS.slice(0, 2).join(" and ")}`);
  const number = (key: (typeof KEYS)[number], otherwise?: number): number => {
    const value = written[key] ?? otherwise;
    if (typeof value !== "number" || !(value >= 0)) throw wrong(where, `${key} must be dollars per million tokens`);
    return value;
  };
  const input_per_mtok = number("input_per_mtok");
  return {
    input_per_mtok,
    output_per_mtok: number("output_per_mtok"),
    cache_read_per_mtok: number("cache_read_per_mtok", input_per_mtok),
    cache_write_per_mtok: number("cache_write_per_mtok", input_per_mtok),
  };
}

const wrong = (where: string, why: string) => refusal(`the prices in ${where} cannot be used: ${why}`);
