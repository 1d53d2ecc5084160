// How one model of the list, or one agent, ended.
import type { AgentChanges, Raised } from "../errors/index.ts";
import { NOTHING_SPENT, type TokensSpent } from "./tokens.ts";

export interface ModelEnd {
  readonly model: string;
  /** As the answer names it. */
  readonly responseModel?: string;
  readonly provider?: string;
  readonly spent: TokensSpent;
  readonly outcome:
    | { readonly ok: true; readonly content: unknown }
    | { readonly ok: false; readonly error: Raised; readonly content?: unknown };
  /** Of an agent that works in a folder. */
  readonly changes?: AgentChanges | undefined;
}

export const failedEnd = (model: string, error: Raised, spent = NOTHING_SPENT, content?: string): ModelEnd => ({
  model,
  spent,
  outcome: content ? { ok: false, error, content } : { ok: false, error },
});
