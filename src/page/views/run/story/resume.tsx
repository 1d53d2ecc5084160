// What a resume would do now.
import type { ResumePlan } from "../../../../services/explain/plan.ts";
import { PlannedDrive } from "../../../parts/planned-drive.tsx";
import { copy } from "../../../parts/toast.tsx";

export function ResumeStory({ plan }: { readonly plan: ResumePlan }) {
  const { command } = plan;
  return (
    <section class="chapter">
      <h2>If you resume now</h2>
      <PlannedDrive plan={plan} />
      {command && (
        <button type="button" class="command" onClick={() => void copy(command, "the command")}>
          <code>{command}</code>
        </button>
      )}
    </section>
  );
}
