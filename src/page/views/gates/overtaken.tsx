// A gate that waits no more although somebody here had begun to answer it: who was first, and what they had written.
import type { RunEvent } from "../../../events/registry.ts";
import type { EventsJson } from "../../../server/contract/events.ts";
import type { GateJson } from "../../../server/contract/gates.ts";
import { apiPath, get } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { clock } from "../../parts/text.ts";
import { dropDraft, readDraft } from "../../state/draft.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeatedWithRuns } from "../../state/repeated.ts";
import { draftName, type GateDraft, gateRun } from "./draft.ts";

const TOLD_BY: readonly RunEvent["type"][] = [
  ...(["gate_resolved", "questions_completed"] as const),
  ...(["run_cancelled", "run_resumed", "workflow_completed", "workflow_failed"] as const),
];

interface OvertakenGateProps {
  readonly gate: GateJson;
  readonly close: () => void;
  /** In a run's own page nobody has to be told which run it is. */
  readonly isInRun?: boolean;
}

export function OvertakenGate({ gate, close, isInRun = false }: OvertakenGateProps) {
  const { run_id, seq, workflow, path, node_id } = gate;
  const loaded = useLoaded(
    (signal) => get<EventsJson>(apiPath("runs", run_id, "events"), { after: seq, type: TOLD_BY.join(",") }, signal),
    [gate.id],
  );
  // The answer is taken a moment before the run goes on with it and records it.
  useRepeatedWithRuns(loaded.reload);
  const draft = readDraft<GateDraft>(draftName(gate));
  const chosen = gate.options.find(({ value }) => value === draft?.value)?.label;
  const written = Object.entries(draft?.inputs ?? {}).filter(([, text]) => text.trim() !== "");
  return (
    <article class="gate card" tabIndex={-1} aria-label={`${workflow ?? ""} ${node_id}`}>
      {!isInRun && (
        <div class="row wrap">
          <strong>{workflow}</strong>
          <span class="soft">{[...path, node_id].join(" / ")}</span>
        </div>
      )}
      <p class="note" role="alert">
        {whoWasFirst(gate, loaded.value.value?.events ?? [], clock)} Your answer was not taken.
      </p>
      {chosen !== undefined && <p class="soft">You had chosen “{chosen}”.</p>}
      {written.map(([name, text]) => (
        <label class="asked" key={name}>
          <span class="soft">What you wrote: {nameOf(gate, name)}</span>
          <textarea class="field" rows={Math.min(8, text.split("\n").length)} readOnly value={text} />
        </label>
      ))}
      <footer class="row">
        <button
          type="button"
          class="button"
          onClick={() => {
            dropDraft(draftName(gate));
            close();
          }}
        >
          Close
        </button>
        {!isInRun && (
          <a class="button" href={gateRun(gate)}>
            <Icon name="back" /> Back to the run
          </a>
        )}
      </footer>
    </article>
  );
}

const nameOf = ({ questions }: GateJson, name: string): string => questions.find(({ id }) => id === name)?.text ?? name;

// Why a gate waits no more, as its run's log tells it: somebody answered it, cancelled the run or resumed it otherwise.

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
      return `${last.data.by ?? "Somebody"} cancelled the run${at}.`;
    case "run_resumed":
      return `${last.data.by ?? "Somebody"} resumed the run${at}, and it asks this no more.`;
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
