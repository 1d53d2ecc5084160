// What a further drive of a run would do: of a resume, or of a retry of letters.
import type { ResumePlan } from "../../services/explain/plan.ts";
import { stepText } from "../state/step-address.ts";
import { namesText, plural } from "./text.ts";

export function PlannedDrive({ plan }: { readonly plan: ResumePlan }) {
  const { changes, changed_files, refused, reused, runs, depends, asks, asks_again, limit, stops } = plan;
  const others = depends.filter((name) => !asks_again.includes(name));
  return (
    <>
      {refused.length > 0 && <p class="kind">It would be refused: {refused.map(({ message }) => message).join(" ")}</p>}
      {changes.length > 0 && (
        <p>Changed since: {changes.map(({ node_id, file, what }) => `${node_id ?? file} (${what})`).join(", ")}</p>
      )}
      {changed_files.map(({ path, node_id, files, command }) => (
        <p key={stepText({ path, node: node_id })}>
          {files.join(", ")} changed since <code>{stepText({ path, node: node_id })}</code> ran, which is reused: its
          inputs are the same.
          {command && (
            <>
              {" "}
              To run it again: <code>{command}</code>
            </>
          )}
        </p>
      ))}
      {asks && (
        <p>
          First it asks: <code>{asks}</code>
        </p>
      )}
      {runs.length > 0 && (
        <>
          <p>It runs</p>
          <ul class="scenes">
            {runs.map(({ path, node_id, why, members }) => (
              <li key={stepText({ path, node: node_id })}>
                <code>{stepText({ path, node: node_id })}</code>
                <span class="soft">
                  {" "}
                  {members !== undefined && `${plural(members, "member")}: `}
                  {why}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && <p class="soft">and, if those give something else: {namesText(others)}</p>}
      {asks_again.length > 0 && (
        <p>
          {asks_again.join(", ")} {asks_again.length === 1 ? "asks" : "ask"} again if what people are shown there comes
          out different.
        </p>
      )}
      {limit && (
        <p class="kind">
          Before <code>{stepText({ path: limit.path, node: limit.node_id })}</code> it would stop at its limit again: by
          then, max_iterations ({limit.max_iterations}) is used up.
          {limit.allow === null && " Raise it in the file first."}
        </p>
      )}
      {stops && (
        <p class="kind">
          {stops.node_id === null ? (
            "It would stop at once"
          ) : (
            <>
              Before <code>{stops.node_id}</code> it would stop
            </>
          )}
          : {stops.limit} ({stops.allowed}) is used up. Raise it in the file first.
        </p>
      )}
      {reused.length > 0 && <p class="soft">Reused: {namesText([...new Set(reused)])}</p>}
    </>
  );
}
