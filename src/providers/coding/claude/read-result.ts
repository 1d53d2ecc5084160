// How Claude ended: with an answer, at a limit, or with a failure that is worth another try or not.
import { ProviderFailure, usedUp } from "../../failure.ts";
import type { CodingAnswer } from "../agent.ts";
import { failureOfStatus } from "../status.ts";
import type { ClaudeListener } from "./listen.ts";

export function readResult({ result, failure, text }: ClaudeListener): CodingAnswer {
  if (!result) throw new ProviderFailure("transient", "Claude's process ended before it answered");
  const said = result.errors?.join("; ") || result.result || result.subtype;
  switch (result.subtype) {
    case "error_max_turns":
      return { type: "out_of_turns", text };
    case "error_max_structured_output_retries":
      return { type: "unfit", text, reason: said };
    case "error_max_budget_usd":
      throw new ProviderFailure("unavailable", "what is left of limits.budget_usd is used up");
    case "success":
      if (!result.is_error)
        return {
          type: "answered",
          text: result.result ?? "",
          ...(result.structured_output === undefined ? {} : { structured: result.structured_output }),
        };
      // Out of credit comes with statuses that also stand for other things.
      if (failure === "billing_error") throw usedUp("quota", said, result.api_error_status ?? null);
      throw failureOfStatus(result.api_error_status ?? null, said);
    default:
      throw new ProviderFailure(result.startup_failure_reason ? "unready" : "transient", said);
  }
}
