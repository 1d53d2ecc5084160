// What a person should know before they answer: whose answer counts and until when, and the run's inputs.

import { REDACTED } from "../../base/redact/index.ts";
import type { Question, Waiting } from "../../engine/people/ask.ts";
import type { JournalInputs } from "../session/run-secrets.ts";

export interface WhoMayAnswer {
  readonly deadline: string | null;
  /** Whose counts; null: anybody's. */
  readonly approvers: readonly string[] | null;
  readonly four_eyes: boolean;
  /** Whose does not, with four_eyes: who started the run or changed it. */
  readonly not_by: readonly string[];
}

export function gateRules(asked: Question): WhoMayAnswer {
  const { deadline = null, approvers = null, not_by, nor_by = [] } = asked.kind === "dialog" ? {} : (asked as Waiting);
  const others = [...new Set([...(not_by === undefined ? [] : [not_by]), ...nor_by])];
  return { deadline, approvers, four_eyes: others.length > 0, not_by: others };
}

const LONGEST_INPUT = 80;

/** Inputs in brief: what an answer is about, and what distinguishes two runs of a workflow. */
export const briefInputs = ({ inputs, hiddenInputs }: JournalInputs): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const isSecret = hiddenInputs.includes(name);
      const text = isSecret ? REDACTED : typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      return [name, text.length > LONGEST_INPUT ? `${text.slice(0, LONGEST_INPUT - 1)}…` : text];
    }),
  );
