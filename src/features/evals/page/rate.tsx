// The share of rows that pass, with its 95 % interval, in figures and as a bar.

import { percentText } from "../../../frontends/page/text.ts";
import type { EvalVariantJson } from "../../../frontends/server/contract/history.ts";

type Rate = Pick<EvalVariantJson, "rate" | "low" | "high" | "passed" | "measured">;

export function passRateText({ rate, low, high }: Pick<Rate, "rate" | "low" | "high">): string {
  if (rate === null || low === null || high === null) return "not measured";
  return `${percentText(rate)} (${percentText(low)} to ${percentText(high)})`;
}

export const RateBar = ({ rate: { rate, low, high } }: { readonly rate: Rate }) =>
  rate === null || low === null || high === null ? null : (
    <svg class="share-bar is-completed" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="interval" x={low * 100} width={(high - low) * 100} height="4" />
      <rect x={Math.max(0, rate * 100 - 0.5)} width="1" height="4" />
    </svg>
  );
