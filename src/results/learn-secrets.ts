// What an event tells of secrets: values that stand under secret-looking names in inputs, outputs, errors' details and texts.
// They are hidden from there on, wherever they appear.
import { isMapping } from "../errors/mapping.ts";
import type { RunEvent } from "../events/index.ts";
import { isGroup } from "../events/node-types.ts";
import { type RecordedInputs, secretNamesIn } from "../events/secret-names.ts";
import { maySpeakOfSecrets, type Redactor, secretsByName } from "../redact/index.ts";
import { isWide } from "./wide-text.ts";

type Pupil = Pick<Redactor, "learn">;

/** To be called with each event before it is shown. `text`: its data as JSON, where that is made already. */
export function learnSecrets(event: RunEvent, redactor: Pupil, text = ""): void {
  if (isWide(text) && !maySpeakOfSecrets(text)) return;
  // The journal was edited: the reader of the event reports it.
  if (typeof event.data !== "object" || event.data === null) return;
  if (GIVEN.has(event.type)) {
    for (const secret of secretsByName(inputsIn(event))) redactor.learn(secret);
    return;
  }
  const made = madeIn(event);
  if (made === undefined || made === null) return;
  for (const secret of secretsByName(made)) redactor.learn(secret, "by name");
}

/** What was given is known for sure: the author of the file did not make it. */
const GIVEN: ReadonlySet<RunEvent["type"]> = new Set(["workflow_started", "run_resumed", "subworkflow_started"]);

/** Without placeholders of secrets: those hold names, and a name that is hidden would be lost for the run. */
function inputsIn({ data }: RunEvent): unknown {
  if (!("inputs" in data) || !isMapping(data.inputs)) return undefined;
  const hidden = secretNamesIn(data as RecordedInputs);
  return Object.fromEntries(Object.entries(data.inputs).filter(([name]) => !hidden.includes(name)));
}

/** What steps, tools, models and people brought in. */
function madeIn(event: RunEvent): unknown {
  switch (event.type) {
    case "agent_completed":
    case "agent_failed":
      // A group's output is keyed by its members, whose own events were seen.
      return isGroup(event.data.agent_type) ? undefined : event.data.output;
    case "agent_reused":
      return event.data.output;
    case "error_raised":
      return (event.data.error as { readonly details?: unknown } | undefined)?.details;
    case "script_started":
      return event.data.args;
    case "script_output":
      return event.data.text;
    case "agent_tool_start":
      return event.data.arguments;
    case "agent_tool_complete":
      return event.data.result;
    case "agent_message":
    case "agent_reasoning":
    case "dialog_message":
      return event.data.content;
    case "gate_resolved":
      return event.data.additional_input;
    default:
      return undefined;
  }
}
