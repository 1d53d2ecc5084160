// The rules of a gate in words.
import type { GateJson } from "../../../server/contract/gates.ts";
import { dayAndTime, inText } from "../../parts/text.ts";

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

/** For a user who may not answer: who can instead, unless the reason says so already. */
export function whoMayText({ approvers, not_by, you }: Rules): string {
  if (!approvers) return " Anybody else may.";
  const left = approvers.filter((name) => !not_by.includes(name) && name !== you.person);
  if (left.length === approvers.length) return "";
  if (left.length > 0) return ` ${left.join(", ")} may.`;
  return " No one may: each approver started or changed the run. Cancel it, and let another person start it.";
}
