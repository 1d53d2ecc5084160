// A line of the banner: what the run has met last, with the step that it is about.
import type { RunState } from "../../../events/state/state.ts";
import { Icon } from "../../parts/icon.tsx";
import { durationText } from "../../parts/text.ts";
import { serverNow } from "../../state/clock.ts";
import { type JustHappened, justHappened } from "../../state/just-happened.ts";
import { chooseStep } from "../../state/selection.ts";

export function JustHappenedLine({ state }: { readonly state: RunState }) {
  const happened = justHappened(state);
  if (!happened) return null;
  const { step, item, what } = happened;
  const look = what === "recovered" ? "recovered" : what === "passed after retries" ? "completed" : "retrying";
  const link = (
    <button type="button" class="link" onClick={() => chooseStep(step, { item })}>
      {step}
    </button>
  );
  return (
    <p class={`banner-met is-${look}`}>
      <Icon name={look} />
      <Sentence happened={happened} link={link} />
    </p>
  );
}

function Sentence({ happened, link }: { readonly happened: JustHappened; readonly link: preact.JSX.Element }) {
  switch (happened.what) {
    case "waits to retry":
      return (
        <span>
          {link} is tried again {waitText(Date.parse(happened.until) - serverNow.value)}, after{" "}
          <code class="kind">{happened.kind}</code>
        </span>
      );
    case "retries":
      return (
        <span>
          {link} is being tried again: attempt {happened.attempt}
        </span>
      );
    case "passed after retries":
      return (
        <span>
          {link} succeeded at attempt {happened.attempt}
        </span>
      );
    case "recovered":
      return (
        <span>
          {link} recovered from <code class="kind">{happened.kind}</code>
          {happened.by !== null && ` by ${happened.by}`}
        </span>
      );
    default:
      return happened satisfies never;
  }
}

/** Rounded as the countdown on the step is: both say the same. */
function waitText(left: number): string {
  const seconds = Math.max(0, Math.floor(left / 1000 + 0.25));
  return seconds === 0 ? "now" : `in ${durationText(seconds * 1000)}`;
}
