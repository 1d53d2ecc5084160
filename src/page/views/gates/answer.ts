// What is sent of a draft: the draft also holds what was typed for an option that is no longer chosen.
import type { GateJson } from "../../../server/contract/gates.ts";
import type { GateDraft } from "./draft.ts";

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
