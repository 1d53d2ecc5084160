// Who may answer a gate, and until when: said before somebody answers, not after they were refused.
import type { GateJson } from "../../../server/contract/gates.ts";

type Rules = Pick<GateJson, "approvers" | "not_by" | "deadline">;

export function GateRules({ gate }: { readonly gate: Rules }) {
  const said = rulesText(gate);
  return said === "" ? null : <p class="soft small gate-rules">{said}</p>;
}

/** `For alex, sam. Not for kim, who started or changed the run. Until 2026-03-01T12:00:00.000Z.` */
export function rulesText({ approvers, not_by, deadline }: Rules): string {
  return [
    approvers ? `For ${approvers.join(", ")}.` : "",
    not_by.length > 0 ? `Not for ${not_by.join(", ")}, who started or changed the run.` : "",
    deadline === null ? "" : `Until ${deadline}.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
