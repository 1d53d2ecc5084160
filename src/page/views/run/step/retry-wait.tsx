// The wait before the next attempt, counted down by the server's clock.
import type { AttemptJson } from "../../../../server/contract/step.ts";
import { Icon } from "../../../parts/icon.tsx";
import { durationText } from "../../../parts/text.ts";
import { serverNow } from "../../../state/clock.ts";

export function RetryWait({ retry }: { readonly retry: NonNullable<AttemptJson["retry"]> }) {
  const left = Date.parse(retry.until) - serverNow.value;
  const { nth, max, delay_seconds, via } = retry;
  return (
    <p class="note row">
      <span class="status is-retrying">
        <Icon name="retrying" /> Retry {nth} of {max}
      </span>
      <span class="soft">
        {left > 0 ? `in ${durationText(Math.ceil(left / 1000) * 1000)}` : `after ${durationText(delay_seconds * 1000)}`}
        {via && ` by way of ${via}`}
      </span>
    </p>
  );
}
