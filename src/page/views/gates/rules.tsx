// Who may answer a gate and until when, who one is, and whether one may: said before somebody chooses, not after they were
// refused.
import type { GateJson } from "../../../server/contract/gates.ts";
import { about } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { dayAndTime, inText } from "../../parts/text.ts";
import { serverNow } from "../../state/clock.ts";

export function GateRules({ gate }: { readonly gate: GateJson }) {
  const { deadline, you } = gate;
  const said = rulesText(gate);
  return (
    <div class="gate-rules">
      {deadline !== null && (
        <p class="soft small">
          <time dateTime={deadline} title={deadline}>
            {dueText(deadline, serverNow.value)}
          </time>
        </p>
      )}
      {said !== "" && you.may_answer && <p class="soft small">{said}</p>}
      <p class={you.may_answer ? "soft small row" : "note row"} role={you.may_answer ? undefined : "note"}>
        <Icon name="person" />
        <span>
          You are signed in as <strong>{you.person}</strong>
          {you.may_answer ? " and may answer." : ` and may not answer: ${you.why_not}.${whoMayText(gate)}`}
          {!you.may_answer && about.value?.known_by === "machine" && ` ${OWN_TOKEN}`}
        </span>
      </p>
    </div>
  );
}

const OWN_TOKEN =
  "Whoever has only the token of this server acts as its user: open the page with #token= and a token of your own.";

// The rules of a gate in words.

type Rules = Pick<GateJson, "approvers" | "not_by" | "you">;

/** `Due in 2 h, today 18:30.` */
export const dueText = (deadline: string, now: number): string =>
  Date.parse(deadline) <= now
    ? `It was due ${dayAndTime(deadline, now)}: an answer no longer counts.`
    : `Due ${inText(deadline, now)}, ${dayAndTime(deadline, now)}.`;

/** `For alex, sam. Not for kim, who started or changed the run.` */
export function rulesText({ approvers, not_by }: Omit<Rules, "you">): string {
  return [
    approvers ? `For ${approvers.join(", ")}.` : "",
    not_by.length > 0 ? `Not for ${not_by.join(", ")}, who started or changed the run.` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** For somebody who may not: who can answer instead, where why they may not does not say so already. */
export function whoMayText({ approvers, not_by, you }: Rules): string {
  if (!approvers) return " Anybody else may.";
  const left = approvers.filter((name) => !not_by.includes(name) && name !== you.person);
  if (left.length === approvers.length) return "";
  if (left.length > 0) return ` ${left.join(", ")} may.`;
  return " Nobody may: each approver started or changed the run. Cancel it, and let somebody else start it.";
}
