// What a further drive of a run would do: of a resume, or of a retry of letters.
import type { ResumePlan } from "../../services/explain/plan.ts";
import { stepText } from "../state/step-address.ts";
import { namesText, plural } from "./text.ts";

export function PlannedDrive({ plan }: { readonly plan: ResumePlan }) {
  const { changes, refused, reused, runs, depends, asks, asks_again } = plan;
  const others = depends.filter((name) => !asks_again.includes(name));
  return (
    <>
      {refused.length > 0 && <p class="kind">It would be refused: {refused.map(({ message }) => message).join(" ")}</p>}
      {changes.length > 0 && (
        <p>Changed since: {changes.map(({ node_id, file, what }) => `${node_id ?? file} (${what})`).join(", ")}</p>
      )}
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
      {reused.length > 0 && <p class="soft">Reused: {namesText([...new Set(reused)])}</p>}
    </>
  );
}
