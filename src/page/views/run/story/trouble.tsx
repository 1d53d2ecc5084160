// Something that went wrong, and what was made of it.
import type { Trouble, TroubleEnding } from "../../../../services/explain/story.ts";
import { plural } from "../../../parts/text.ts";
import { chooseStep } from "../../../state/selection.ts";
import { stepText } from "../../../state/step-address.ts";

export function TroubleStory({ trouble }: { readonly trouble: Trouble }) {
  const { node_id, path, raised, retries, routes, ending, location, times, item_key, carried } = trouble;
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
        {location && (
          <span class="soft small">
            {" "}
            {location.file}:{location.line}
          </span>
        )}
      </p>
      {raised.map(({ kind, message, attempts }) => (
        <p key={`${kind} ${attempts.join()}`}>
          <code class="kind">{kind}</code> {message}
          {attempts.length > 1 && <span class="soft"> on attempts {attempts.join(", ")}</span>}
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
      <p>{endingText(ending)}</p>
    </div>
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
