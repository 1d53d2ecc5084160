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
