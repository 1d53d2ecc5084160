// Something that went wrong, and what was made of it.
import { callerOfSlot } from "../../../../events/key.ts";
import type { Trouble, TroubleEnding } from "../../../../services/explain/story.ts";
import { countText, plural } from "../../../parts/text.ts";
import { chooseStep } from "../../../state/selection.ts";
import { type StepAddress, stepText } from "../../../state/step-address.ts";

export function TroubleStory({ trouble }: { readonly trouble: Trouble }) {
  const { node_id, path, raised, retries, routes, ending, location, times, item_key, carried, alike, unreadable } =
    trouble;
  const address = { path, node: node_id };
  return (
    <div class="story-trouble">
      <p>
        <button type="button" class="link" onClick={() => chooseStep(address, { item: item_key ?? null })}>
          {stepText(address)}
          {item_key && ` [${item_key}]`}
        </button>{" "}
        {carried ? "handed on" : "raised"}
        {times && ` ${times} times`}
        {alike && <Alike step={address} items={alike} />}
        {location && (
          <span class="soft small">
            {" "}
            {location.file}:{location.line}
          </span>
        )}
      </p>
      {raised.map(({ kind, message, attempts, cause }) => (
        <p key={`${kind} ${attempts.join()}`}>
          <code class="kind">{kind}</code> {message}
          {attempts.length > 1 && <span class="soft"> on attempts {attempts.join(", ")}</span>}
          {cause && (
            <span class="soft">
              {" "}
              because of <code class="kind">{cause.kind}</code> in {cause.node}: {cause.message}
            </span>
          )}
        </p>
      ))}
      {retries.length > 0 && <p class="soft">{plural(retries.length, "retry", "retries")}</p>}
      {routes.length > 0 && (
        <ul class="story-routes">
          {routes.map(({ text, line, taken, verdict, why }) => (
            <li class={taken ? "taken" : undefined} key={`${line} ${text}`}>
              <code>{text}</code>
              <span class="soft">
                {line !== null && ` line ${line}`} · {verdict}
                {why && why !== verdict && `: ${why}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {unreadable && <p class="soft">Reading stopped there: {unreadable}</p>}
      <p>{endingText(ending)}</p>
    </div>
  );
}

/** So many are named when there are more. */
const NAMED = 3;

/** The other items that had the same, as links: some of them when they are many. */
function Alike({ step, items }: { readonly step: StepAddress; readonly items: readonly string[] }) {
  const named = items.length <= NAMED + 1 ? items : items.slice(0, NAMED);
  const more = items.length - named.length;
  const last = named.length - 1;
  // Items of a sub-workflow may be alike in other items of the one that called it: then a name alone leads nowhere.
  const isLink = step.path.every((slot) => callerOfSlot(slot) === slot);
  return (
    <span class="soft">
      {" (and so did "}
      {named.map((item, index) => (
        <span key={index}>
          {index > 0 && (index === last && more === 0 ? " and " : ", ")}
          {isLink ? (
            <button type="button" class="link" onClick={() => chooseStep(step, { item })}>
              {item}
            </button>
          ) : (
            item
          )}
        </span>
      ))}
      {more > 0 && ` and ${countText(more)} more`})
    </span>
  );
}

function endingText(ending: TroubleEnding): string {
  switch (ending.type) {
    case "succeeded":
      return `Attempt ${ending.attempt} succeeded.`;
    case "recovered":
      return `Recovered by ${ending.by}.`;
    case "routed":
      return `It was handed to ${ending.to}, which has not got to its end.`;
    case "terminated":
      return `${ending.by} ended the run: ${ending.reason}`;
    case "halted":
      return "It halted the run.";
    case "went_up":
      return "It went up to the parent workflow.";
    case "to_group":
      return ending.went_on ? `The group ${ending.group} went on without it.` : `It failed the group ${ending.group}.`;
    case "unhandled":
      return "No route took it.";
    case "open":
      return "No route was read.";
    default:
      return ending satisfies never;
  }
}
