// What happened beside the steps and is worth a sentence: breakers, letters, escalations, policies, limits, warnings.
import type { RunEvent } from "../../events/registry.ts";
import { changedFilesText } from "../../events/state/warnings.ts";
import type { Note } from "./story.ts";

export function noteOf(event: RunEvent): Note | undefined {
  const note = (about: Note["about"], node_id: string | null, message: string): Note => ({
    ...{ at: event.ts, about, node_id, message },
  });
  switch (event.type) {
    case "circuit_opened": {
      const { breaker, failures, retry_after_seconds: seconds } = event.data;
      return note(
        "breaker",
        null,
        `${breaker} opened after ${failures} failures; it lets calls through again after ${seconds} s`,
      );
    }
    case "circuit_half_opened":
      return note("breaker", null, `${event.data.breaker} let a probe through`);
    case "circuit_closed":
      return note("breaker", null, `${event.data.breaker} closed`);
    case "dead_lettered": {
      const { node, kind, letter, item_key } = event.data;
      return note(
        "letter",
        node,
        `${kind}${item_key === undefined ? "" : ` of item ${item_key}`} is kept as letter ${letter}`,
      );
    }
    case "keyframe_resumed": {
      const { visits } = event.data;
      return note(
        "retry",
        null,
        `the first ${visits} visits were reused together: nothing that they depend on has changed`,
      );
    }
    case "items_retried": {
      const { items, by } = event.data;
      const who = by === undefined ? "" : `${by} had `;
      return note(
        "retry",
        null,
        `${who}${items.length === 1 ? "a lost item" : `${items.length} lost items`} run again, after the run's end`,
      );
    }
    case "dead_letter_resolved":
      return note("letter", event.data.node, `letter ${event.data.letter} is resolved`);
    case "error_escalated":
      return event.data.failed
        ? undefined
        : note("escalation", event.data.node, `${event.data.kind} was handed to ${event.data.by}`);
    case "escalation_failed":
      return note("escalation", event.data.node, `handing on ${event.data.kind} did not work: ${event.data.message}`);
    case "policy_evaluated":
      return event.data.allowed ? undefined : note("policy", event.data.node, denials(event.data.verdicts));
    case "iteration_limit_reached":
      return note("limit", event.data.agent_name, `max_iterations (${event.data.max_iterations}) was used up`);
    case "iteration_limit_resolved":
      return note("limit", null, `${event.data.additional_iterations} more iterations were allowed`);
    case "budget_exceeded":
      return note(
        "limit",
        event.data.agent_name,
        `$${event.data.spent_usd} was spent, the budget is $${event.data.budget_usd}`,
      );
    case "hook_ran":
      return event.data.ok
        ? undefined
        : note(
            "hook",
            null,
            `hook ${event.data.hook} failed: ${event.data.message ?? `exit code ${event.data.exit_code}`}`,
          );
    case "orphan_ended":
      return note(
        "warning",
        event.data.agent_name,
        `process group ${event.data.pid} had outlived its driver and was ended`,
      );
    case "agent_reused": {
      const { agent_name, changed_files = [] } = event.data;
      return changed_files.length > 0
        ? note("warning", agent_name, changedFilesText(agent_name, changed_files))
        : undefined;
    }
    case "warning":
      return note("warning", event.data.node, event.data.message);
    case "errors_jsonl_write_failed":
      return note("warning", null, `errors.jsonl could not be written: ${event.data.reason}`);
    default:
      return undefined;
  }
}

/** Who refused, and why; those that allowed it are not worth a word. */
function denials(verdicts: readonly Readonly<Record<string, unknown>>[]): string {
  const denied = verdicts.filter((verdict) => verdict.allowed === false);
  return denied
    .map(({ policyName, reason }) => `${String(policyName)} refused it${reason ? `: ${String(reason)}` : ""}`)
    .join("; ");
}
