// An answer that is not sent yet.
import type { GateJson } from "../../../server/contract/gates.ts";
import { readDraft } from "../../state/draft.ts";

export interface GateDraft {
  readonly value: string | null;
  readonly inputs: Readonly<Record<string, string>>;
  /** The same until something is changed: sending twice answers once. */
  readonly key: string;
}

/** Under what it is kept. */
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
