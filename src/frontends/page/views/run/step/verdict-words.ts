// What a policy said, in words: its name, and the reason where it refused. The reason of one that allowed is no problem.
import type { State } from "../../../parts/button.tsx";

export type PolicyVerdictJson = Readonly<Record<string, unknown>>;

export interface PolicyVerdictWords {
  readonly name: string;
  readonly state: State;
  readonly said: string;
}

export function verdictWords({ policyName, allowed, reason, metadata }: PolicyVerdictJson): PolicyVerdictWords {
  const name = typeof policyName === "string" && policyName !== "" ? policyName : "a policy without a name";
  if (allowed === false) return { name, state: "failed", said: `refused: ${textOf(reason) ?? "it gave no reason"}` };
  const missing = textOf((metadata as PolicyVerdictJson | undefined)?.["skipped"]);
  return missing === undefined
    ? { name, state: "completed", said: "allowed" }
    : { name, state: "pending", said: `not decided: ${missing} is not known` };
}

/** All of one look in a line: who refused and why, else that all allowed. */
export function verdictLine(verdicts: readonly PolicyVerdictJson[]): string {
  const refused = verdicts.filter(({ allowed }) => allowed === false).map(verdictWords);
  if (refused.length > 0) return refused.map(({ name, said }) => `${name} ${said}`).join("; ");
  return `allowed by ${verdicts.map((verdict) => verdictWords(verdict).name).join(", ")}`;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
