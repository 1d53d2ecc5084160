// What a run would do, step by step; nothing is run.
import type { PlanJson } from "../../../server/contract/workflows.ts";
import { JsonTree } from "../../parts/json-tree.tsx";

type Planned = PlanJson["plan"][number];

export function PlanView({ plan }: { readonly plan: PlanJson }) {
  return (
    <section class="part">
      <h3>The plan of a run with these inputs</h3>
      <PlanSteps steps={plan.plan} />
    </section>
  );
}

function PlanSteps({ steps }: { readonly steps: readonly Planned[] }) {
  return (
    <ol class="plan">
      {steps.map(({ node_id, type, fields, routes, members, steps: inside, steps_under }) => (
        <li key={node_id}>
          <details class="fold">
            <summary>
              <strong>{node_id}</strong> {type.replace("_", " ")}
              {routes.length > 0 && <span> · {routes.join(", ")}</span>}
            </summary>
            <div class="tree mono">
              <JsonTree value={fields} />
            </div>
          </details>
          {members && <PlanSteps steps={members} />}
          {inside && <PlanSteps steps={inside} />}
          {steps_under !== undefined && <p class="dim">its steps are those of {steps_under || "the whole plan"}</p>}
        </li>
      ))}
    </ol>
  );
}
