// Why a gate waits no more, by its run's log: it was answered, or the run was cancelled or resumed in another way.
import type { RunEvent } from "../../../events/registry.ts";
import type { GateJson } from "../../../server/contract/gates.ts";

/** `events`: those after what the person saw of it. */
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
