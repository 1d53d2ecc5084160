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

const isOver = ({ deadline }: AnswerRules, now: number | undefined): boolean =>
  !!deadline && now !== undefined && Date.parse(deadline) <= now;

/** Undefined if anybody may answer at any time. `now`: epoch milliseconds. */
export function answerRulesText(rules: AnswerRules, now?: number): string | undefined {
  const { deadline, approvers, not_by = [] } = rules;
  const said = [
    ...(approvers ? [`only ${approvers.join(", ")} may answer`] : []),
    ...(not_by.length > 0 ? [`not ${not_by.join(", ")}, who started or changed the run (four_eyes)`] : []),
    ...(deadline ? [isOver(rules, now) ? `the deadline ${deadline} has passed` : `until ${deadline}`] : []),
  ];
  return said.length === 0 ? undefined : said.join("; ");
}

type AnswerWanted = Extract<Wanted, { readonly to: "answer" }>;

/** `who` and `answer` of a gate. A reader who may not answer is not told the command: a gate often exists to stop an agent. */
export function howToAnswer(
  wanted: Omit<AnswerWanted, "isForPeople">,
  rules: AnswerRules,
  reader: Reader,
  now?: number,
): Pick<ResultGate, "who" | "answer"> {
  const isForPeople = !!rules.approvers || (rules.not_by ?? []).length > 0;
  const own = reader.ask({ ...wanted, isForPeople });
  const who = own === null ? "a person may answer, and this client may not" : "anybody may answer";
  const said = [own !== null && rules.approvers ? undefined : who, answerRulesText(rules, now)];
  return {
    who: said.filter((part) => part !== undefined).join("; "),
    answer: isOver(rules, now) ? answerAfterDeadline(wanted, reader) : (own ?? LEFT_TO_PEOPLE),
  };
}

const LEFT_TO_PEOPLE = "a person answers it, in a terminal or on the page of Segno; then the run can go on";

function answerAfterDeadline({ run }: Pick<AnswerWanted, "run">, reader: Reader): string {
  const resume = reader.ask({ to: "resume", run }) ?? "resuming the run";
  return `too late, the deadline has passed: ${resume} goes on with on_timeout`;
}

const ANSWERED = {
  answered: true,
  who: "it is answered already",
  answer: "the run goes on with the answer that was given",
} as const;

interface AskingRun {
  readonly runId: string;
  /** Whether the answer has to say which of several gates it is for. */
  readonly isOneOfSeveral: boolean;
  /** Keys of gates whose answer is stored, and that no drive has taken yet. */
  readonly answered: ReadonlySet<string>;
  /** Epoch milliseconds; undefined where a deadline is not to be compared with it. */
  readonly now: number | undefined;
}

export function resultGate(
  { node, key, path, kind, prompt, options, questions, approvers, not_by, deadline }: PendingGate,
  name: string,
  { runId, isOneOfSeveral, answered, now }: AskingRun,
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
    ...(answered.has(key) ? ANSWERED : howToAnswer(asked, rules, reader, now)),
  };
}
