// A gate in words: its rules, and why it waits no more; and an answer that is not sent yet.
import type { RunEvent } from "../../../../base/events/registry.ts";
import type { GateJson } from "../../../server/contract/gates.ts";
import { readDraft } from "../../state/draft.ts";
import { dayAndTime, inText } from "../../text.ts";

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

/**
 * Why a gate waits no more, by its run's log: it was answered, or the run was cancelled or resumed in another way.
 * `events`: those after what the person saw of it.
 */
export function whoWasFirst(gate: GateJson, events: readonly RunEvent[], timeText: (time: string) => string): string {
  const answer = events.find((event) => isAnswer(gate, event));
  const last = answer ?? events.at(-1);
  const at = last ? `, at ${timeText(last.ts)}` : "";
  switch (last?.type) {
    case "gate_resolved": {
      const { answered_by, selected_option } = last.data;
      const label = gate.options.find(({ value }) => value === selected_option)?.label ?? selected_option;
      return `${answered_by} answered it first, with “${label}”${at}.`;
    }
    case "questions_completed":
      return `${last.data.answered_by} answered it first${at}.`;
    case "run_cancelled":
      return `${last.data.by ?? "Someone"} cancelled the run${at}.`;
    case "run_resumed":
      return `${last.data.by ?? "Someone"} resumed the run${at}, and it asks this no more.`;
    case "workflow_completed":
    case "workflow_failed":
      return `The run has ended${at}.`;
    default:
      return "It waits for an answer no more.";
  }
}

const isAnswer = ({ key, node_id, path }: GateJson, event: RunEvent): boolean => {
  if (event.type === "gate_resolved") return event.data.key === key;
  return (
    event.type === "questions_completed" && event.data.agent_name === node_id && event.path.join("/") === path.join("/")
  );
};

export interface GateDraft {
  readonly value: string | null;
  readonly inputs: Readonly<Record<string, string>>;
  /** The same until something is changed: sending twice answers once. */
  readonly key: string;
}

export const draftName = ({ id }: Pick<GateJson, "id">): string => `gate.${id}`;

/** Gates whose answer is on its way from here: that they wait no more is this answer's doing. */
export const beingSent = new Set<string>();

/** The user here has begun to answer it, and has not sent that. */
export const isBegun = (gate: GateJson): boolean =>
  !beingSent.has(gate.id) && readDraft<GateDraft>(draftName(gate)) !== null;

// What is sent of a draft: the draft also holds what was typed for an option that is no longer chosen.

export const ABORT = "__abort__";

export interface SentAnswer {
  readonly seq: number;
  readonly value: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export function answerOf(gate: GateJson, value: string | null, inputs: GateDraft["inputs"]): SentAnswer {
  const { seq, kind, options } = gate;
  if (value === ABORT) return { seq, value, inputs: {} };
  if (kind !== "gate") return { seq, value: value ?? "", inputs };
  const wanted = options.find((one) => one.value === value)?.prompt_for;
  const text = wanted === undefined ? undefined : inputs[wanted];
  return { seq, value: value ?? "", inputs: wanted !== undefined && text ? { [wanted]: text } : {} };
}
