// Whose answer counts. Asked before an answer is kept, and again before it is taken.
import type { Answerer, Waiting } from "./ask.ts";

/** Answers that no person gave. A scenario may say who answers, and then that is judged. */
const NOBODY: ReadonlySet<string> = new Set(["timeout", "scenario"]);

/** Why an answer does not count; nothing when it does. Who somebody says they are never makes a difference. */
export function whyNotBy({ approvers, not_by, nor_by }: Waiting, { by, person }: Answerer): string | undefined {
  if (approvers === undefined && not_by === undefined && nor_by === undefined) return undefined;
  if (by.startsWith("mcp:")) return "an agent answers, and those who may are people";
  if (person === undefined) return NOBODY.has(by) ? undefined : "it is not known who answers";
  if (approvers && !approvers.includes(person)) return `${person} is not one of the approvers: ${approvers.join(", ")}`;
  if (nor_by?.includes(person))
    return `${person} resumed the run with other inputs or another file, and somebody else has to answer (four_eyes)`;
  return person === not_by ? `${person} started the run, and somebody else has to answer (four_eyes)` : undefined;
}
