// Whose answer counts. Checked before an answer is stored, and again before the run uses it.
import type { Answerer, Waiting } from "./ask.ts";

/** Answers that no person gave. A scenario may say who answers, and then that is judged. */
const NO_PERSON: ReadonlySet<string> = new Set(["timeout", "scenario"]);

/** What keeps an answer from counting. */
export type NotCounting = "agent" | "unknown" | "no_approver" | "changed_run" | "started_run";

/** Nothing when the answer counts. The name that a caller claims is never considered. */
export function notCounting({ approvers, not_by, nor_by }: Waiting, answerer: Answerer): NotCounting | undefined {
  if (approvers === undefined && not_by === undefined && nor_by === undefined) return undefined;
  const { by, person, user } = answerer;
  if (by.startsWith("mcp:")) return "agent";
  if (person === undefined) return NO_PERSON.has(by) ? undefined : "unknown";
  // A project may name a person, or their user on a machine; a run may have been started under either.
  const isOne = (name: string): boolean => name === person || name === user;
  if (approvers && !approvers.some(isOne)) return "no_approver";
  if (nor_by?.some(isOne)) return "changed_run";
  return not_by !== undefined && isOne(not_by) ? "started_run" : undefined;
}

/** The same in a sentence. */
export function whyNotBy(waiting: Waiting, answerer: Answerer): string | undefined {
  const { person } = answerer;
  switch (notCounting(waiting, answerer)) {
    case undefined:
      return undefined;
    case "agent":
      return "an agent answers, and those who may are people";
    case "unknown":
      return "it is not known who answers";
    case "no_approver":
      return `${person} is not one of the approvers: ${waiting.approvers?.join(", ")}`;
    case "changed_run":
      return `${person} resumed the run with other inputs or another file: another person has to answer (four_eyes)`;
    case "started_run":
      return `${person} started the run: another person has to answer (four_eyes)`;
  }
}
