// What a resume would do now.
import type { ResumePlan } from "../../../../services/explain/plan.ts";
import { plural } from "../../../parts/text.ts";
import { copy } from "../../../parts/toast.tsx";
import { stepText } from "../../../state/step-address.ts";

export function ResumeStory({ plan }: { readonly plan: ResumePlan }) {
  const { command, changes, refused, reused, runs, depends, asks } = plan;
  return (
    <section class="chapter">
      <h2>If you resume now</h2>
      {refused.length > 0 && <p class="kind">It would be refused: {refused.map(({ message }) => message).join(" ")}</p>}
      {changes.length > 0 && (
        <p>Changed since: {changes.map(({ node_id, file, what }) => `${node_id ?? file} (${what})`).join(", ")}</p>
      )}
      {asks && <p>First it asks: {asks}</p>}
      {runs.length > 0 && (
        <>
          <p>It runs</p>
          <ul class="scenes">
            {runs.map(({ path, node_id, why, members }) => (
              <li key={stepText({ path, node: node_id })}>
                <code>{stepText({ path, node: node_id })}</code>
                <span class="soft">
                  {" "}
                  {members !== undefined && `${plural(members, "member")}, `}
                  {why}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {depends.length > 0 && <p class="soft">and, if those give something else: {depends.join(", ")}</p>}
      {reused.length > 0 && <p class="soft">Reused: {reused.join(", ")}</p>}
      {command && (
        <button type="button" class="command" onClick={() => void copy(command, "the command")}>
          <code>{command}</code>
        </button>
      )}
    </section>
  );
}
