// The open question of a paused run, as every reader is shown it: what is asked, who may answer, until when, and how.
import type { PendingGate } from "../events/state/state.ts";
import type { Reader, Wanted } from "./reader.ts";
import type { ResultGate } from "./result.ts";

export interface AnswerRules {
  /** ISO time. */
  readonly deadline?: string | null | undefined;
  readonly approvers?: readonly string[] | null | undefined;
  readonly not_by?: readonly string[] | undefined;
}

/** Undefined if anybody may answer at any time. */
export function answerRulesText({ deadline, approvers, not_by = [] }: AnswerRules): string | undefined {
  const said = [
    ...(approvers ? [`only ${approvers.join(", ")} may answer`] : []),
    ...(not_by.length > 0 ? [`not ${not_by.join(", ")}, who started or changed the run (four_eyes)`] : []),
    ...(deadline ? [`until ${deadline}`] : []),
  ];
  return said.length === 0 ? undefined : said.join("; ");
}

/** `who` and `answer` of a gate. A reader who may not answer is not told the command: a gate often exists to stop an agent. */
export function howToAnswer(
  wanted: Extract<Wanted, { readonly to: "answer" }>,
  rules: AnswerRules,
  reader: Reader,
): Pick<ResultGate, "who" | "answer"> {
  const own = reader.ask(wanted);
  const who = own === null ? "a person may answer, and this client may not" : "anybody may answer";
  const said = [own !== null && rules.approvers ? undefined : who, answerRulesText(rules)];
  return {
    who: said.filter((part) => part !== undefined).join("; "),
    answer: own ?? "a person answers it, in a terminal or on the page of Segno; then the run can go on",
  };
}

interface AskingRun {
  readonly runId: string;
  /** Whether the answer has to say which of several gates it is for. */
  readonly isOneOfSeveral: boolean;
}

export function resultGate(
  { node, key, path, kind, prompt, options, questions, approvers, not_by, deadline }: PendingGate,
  name: string,
  { runId, isOneOfSeveral }: AskingRun,
  reader: Reader,
): ResultGate {
  const rules = { approvers, not_by, deadline };
  const wanted = { to: "answer", run: runId, ...(isOneOfSeveral ? { gate: name } : {}) } as const;
  const asked = kind === "questions" ? { ...wanted, questions: questions.map(({ id }) => String(id)) } : wanted;
  return {
    node_id: node,
    name,
    key,
    path,
    kind,
    prompt,
    options,
    ...(kind === "questions" ? { questions } : {}),
    ...(approvers ? { approvers } : {}),
    ...(not_by ? { not_by } : {}),
    ...(deadline ? { deadline } : {}),
    ...howToAnswer(asked, rules, reader),
  };
}
