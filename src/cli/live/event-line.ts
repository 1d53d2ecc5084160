// What one event says in one line. The live tree prints these above itself when something ends; without a terminal
// they are all there is.
import { endingWords } from "../../errors/who-handles.ts";
import { isGroup } from "../../events/node-types.ts";
import type { EventData, EventType, RunEvent } from "../../events/registry.ts";
import { GLYPHS } from "../text/glyphs.ts";
import { plain } from "../text/harmless.ts";
import { amount, compact, duration, money } from "../text/phrases.ts";
import { type EventLine, isAmongMany, line, memberName, ofRun, stepName, visited } from "./line-parts.ts";

type Sayings = { readonly [Type in EventType]?: (data: EventData<Type>, event: RunEvent) => EventLine | undefined };

const seconds = (value: number): string => duration(value * 1000);
const again = (attempt: number): string => (attempt > 1 ? ` (attempt ${attempt})` : "");
const firstLine = (text: string): string =>
  plain(text)
    .split("\n")
    .find((part) => part.trim() !== "")
    ?.trim() ?? "";

function used(data: EventData<"agent_completed">): string {
  const tokens = (data.input_tokens ?? 0) + (data.output_tokens ?? 0);
  const parts = [tokens > 0 && `${compact(tokens)} tokens`, data.cost_usd && money(data.cost_usd)].filter(Boolean);
  return parts.length > 0 ? `, ${parts.join(", ")}` : "";
}

const groupEnd = (event: RunEvent, data: EventData<"parallel_completed">, what: string): EventLine => {
  const ended = data.success_count + data.failure_count;
  const total = data.count ?? ended;
  const lost = [
    data.failure_count > 0 && `, ${data.failure_count} failed`,
    total > ended && `, ${total - ended} stopped`,
  ]
    .filter(Boolean)
    .join("");
  const glyph = data.failed ? GLYPHS.failed : data.failure_count > 0 ? GLYPHS.warning : GLYPHS.done;
  return line(
    glyph,
    event,
    visited(data.group_name, data.key),
    `${data.success_count} of ${amount(total, what)} done${lost} in ${seconds(data.elapsed)}`,
  );
};

/** @example "retry 2 of 5", "the limit resets" */
const retryWords = ({ until_reset, nth, attempt, max }: EventData<"retry_scheduled">): string =>
  until_reset ? "the limit resets" : `retry ${nth ?? attempt}${max === undefined ? "" : ` of ${max}`}`;

const SAYINGS: Sayings = {
  workflow_started: (data, event) => ofRun(GLYPHS.start, `${data.name} ${event.run_id}`),
  run_resumed: (data, event) =>
    ofRun(
      GLYPHS.start,
      `${data.outline.name} ${event.run_id}, going on after it ${afterWord(data.after)}${data.file_changed ? "; the file has changed since" : ""}`,
    ),
  agent_started: (data, event) =>
    isGroup(data.agent_type)
      ? undefined
      : line(
          GLYPHS.start,
          event,
          stepName(data),
          `${data.agent_type} started${again(data.attempt)}${data.again ? `: ${AGAIN[data.again]}` : ""}`,
          // The live tree shows that it runs, not why it does so again.
          data.again && !isAmongMany(event) ? "always" : "begin",
        ),
  agent_completed: (data, event) => {
    if (isGroup(data.agent_type)) return undefined;
    if (data.is_explicit)
      return line(GLYPHS.ended, event, stepName(data), `ends the workflow: ${data.termination_reason ?? ""}`);
    const exited = data.exit_code === undefined ? "" : `, exited with ${data.exit_code}`;
    const mended = data.repaired ? ", changed since it last ran" : "";
    return line(
      data.exit_code === undefined ? GLYPHS.done : GLYPHS.warning,
      event,
      stepName(data),
      `done in ${seconds(data.elapsed)}${exited}${again(data.attempt)}${used(data)}${mended}`,
      isAmongMany(event) ? "item" : "always",
    );
  },
  agent_failed: (data, event) =>
    line(
      GLYPHS.failed,
      event,
      stepName(data),
      `${data.kind ?? endingWords(data.error_type)}: ${firstLine(data.message)}${again(data.attempt)}`,
    ),
  agent_cancelled: (data, event) =>
    line(GLYPHS.cancelled, event, stepName(data), `stopped: ${data.reason}`, isAmongMany(event) ? "item" : "always"),
  agent_reused: (data, event) =>
    line(
      GLYPHS.reused,
      event,
      stepName(data),
      data.changed_files
        ? `reused, though ${data.changed_files.join(", ")} has changed: its inputs are the same`
        : "reused: its inputs are the same",
      // How many there were is said once, at the end.
      "detail",
    ),
  agent_retry: (data, event) =>
    line(
      GLYPHS.retry,
      event,
      stepName(data),
      `${firstLine(data.error)}; asking the provider again in ${seconds(data.delay)} (${data.attempt} of ${data.max_attempts})`,
    ),
  agent_fallback: (data, event) =>
    line(GLYPHS.retry, event, stepName(data), `${data.kind}: trying ${data.to} instead of ${data.from}`),
  agent_parse_recovery: (data, event) =>
    line(GLYPHS.retry, event, stepName(data), `the answer had the wrong shape, asked again: ${firstLine(data.error)}`),
  agent_validation_failed: (data, event) =>
    line(GLYPHS.retry, event, stepName(data), `judged: ${data.issues.join("; ")}`),
  agent_tool_start: (data, event) => line(GLYPHS.note, event, stepName(data), `calls ${data.tool_name}`, "detail"),
  agent_message: (data, event) => line(GLYPHS.note, event, stepName(data), firstLine(data.content), "detail"),
  agent_tool_output_truncated: (data, event) =>
    line(
      GLYPHS.warning,
      event,
      stepName(data),
      `${data.tool_name} answered ${compact(data.original_chars)} characters, cut to ${compact(data.kept_chars)}`,
    ),
  skill_injection_warning: (data, event) => line(GLYPHS.warning, event, stepName(data), data.message),
  context_trimmed: (data, event) =>
    line(
      GLYPHS.note,
      event,
      stepName(data),
      `context trimmed (${data.strategy}): ${data.dropped.join(", ")}`,
      "detail",
    ),
  orphan_ended: (data, event) =>
    line(GLYPHS.warning, event, stepName(data), `ended process group ${data.pid}, which outlived the earlier drive`),
  wait_started: (data, event) =>
    line(GLYPHS.note, event, stepName(data), `waits ${howLong(data)}${data.reason ? `: ${data.reason}` : ""}`, "begin"),
  gate_presented: (data, event) => line(GLYPHS.asks, event, stepName(data), `asks: ${firstLine(data.prompt)}`, "begin"),
  gate_notified: (data, event) =>
    line(
      data.ok ? GLYPHS.note : GLYPHS.recovered,
      event,
      stepName(data),
      data.ok
        ? data.reminder === 0
          ? "notified"
          : `reminded, ${data.reminder}×`
        : `the notification failed: ${firstLine(data.message ?? "")}`,
    ),
  gate_refused: (data, event) =>
    line(GLYPHS.recovered, event, stepName(data), `the answer does not count: ${firstLine(data.reason)}`),
  gate_resolved: (data, event) =>
    line(GLYPHS.asks, event, stepName(data), `answered "${data.selected_option}" (${data.answered_by})`),
  questions_presented: (data, event) =>
    line(GLYPHS.asks, event, stepName(data), `asks ${amount(data.questions.length, "question")}`, "begin"),
  questions_completed: (data, event) =>
    line(
      GLYPHS.asks,
      event,
      stepName(data),
      `${data.answered_count} answered, ${data.skipped_count} skipped (${data.answered_by})`,
    ),
  limit_wait_started: (data, event) =>
    line(GLYPHS.retry, event, stepName(data), `waits for its turn (limit ${data.limit})`),
  limit_wait_ended: (data, event) =>
    line(
      GLYPHS.start,
      event,
      stepName(data),
      `has its turn after ${seconds(data.waited_seconds)} (limit ${data.limit})`,
      "detail",
    ),
  route_taken: (data, event) => line(GLYPHS.routed, event, data.from_agent, `goes to ${data.to_agent}`, "detail"),
  error_routed: (data, event) => {
    if (data.action === "retry") return undefined;
    const where = data.route.line === undefined ? "" : ` (line ${data.route.line})`;
    return line(GLYPHS.routed, event, memberName(data), `${data.kind} ${actionWord(data.action, data.to)}${where}`);
  },
  error_recovered: (data, event) =>
    line(GLYPHS.recovered, event, memberName(data), `${data.kind} was handled by ${data.by}`, "detail"),
  retry_scheduled: (data, event) =>
    line(
      GLYPHS.retry,
      event,
      memberName(data),
      `${retryWords(data)} in ${seconds(data.delay_seconds)}${data.via ? `, by way of ${data.via}` : ""}`,
    ),
  retry_awaited: (data, event) =>
    line(
      GLYPHS.retry,
      event,
      memberName(data),
      `waits ${seconds(data.remaining_seconds)} more for retry ${data.nth ?? data.attempt}${data.max === undefined ? "" : ` of ${data.max}`}`,
    ),
  parallel_started: (data, event) =>
    line(
      GLYPHS.start,
      event,
      visited(data.group_name, data.key),
      `${amount(data.agents.length, "member")} started`,
      "begin",
    ),
  parallel_completed: (data, event) => groupEnd(event, data, "member"),
  for_each_started: (data, event) =>
    line(
      GLYPHS.start,
      event,
      visited(data.group_name, data.key),
      `${amount(data.item_count, "item")}, ${data.max_concurrent} at a time`,
      "begin",
    ),
  for_each_completed: (data, event) => groupEnd(event, data, "item"),
  subworkflow_started: (data, event) =>
    line(GLYPHS.start, event, data.slot, `sub-workflow ${data.workflow} started`, "begin"),
  iteration_limit_reached: (data, event) =>
    line(GLYPHS.warning, event, stepName(data), `max_iterations (${data.max_iterations}) is used up`),
  budget_exceeded: (data, event) =>
    line(
      GLYPHS.warning,
      event,
      stepName(data),
      `${money(data.spent_usd)} spent, the budget is ${money(data.budget_usd)}`,
    ),
  error_escalated: (data, event) =>
    data.failed ? undefined : line(GLYPHS.routed, event, memberName(data), `${data.kind} was escalated (${data.by})`),
  escalation_failed: (data, event) =>
    line(
      GLYPHS.warning,
      event,
      memberName(data),
      `the escalation of ${data.kind} did not get through: ${data.message}`,
    ),
  dead_lettered: (data, event) =>
    line(GLYPHS.routed, event, memberName(data), `${data.kind} is kept as dead letter ${data.letter}`),
  dead_letter_resolved: (data, event) =>
    line(
      GLYPHS.done,
      event,
      memberName(data),
      `dead letter ${data.letter} is resolved`,
      data.item_key === undefined ? "always" : "item",
    ),
  circuit_opened: (data) =>
    ofRun(
      GLYPHS.warning,
      `circuit ${data.breaker} opened after ${amount(data.failures, "failure")}; tried again in ${seconds(data.retry_after_seconds)}`,
    ),
  circuit_half_opened: (data) => ofRun(GLYPHS.note, `circuit ${data.breaker} lets a probe through`),
  circuit_closed: (data) => ofRun(GLYPHS.note, `circuit ${data.breaker} closed`),
  policy_evaluated: (data, event) =>
    data.allowed ? undefined : line(GLYPHS.warning, event, memberName(data), `refused by ${refusers(data.verdicts)}`),
  hook_ran: (data) =>
    data.ok
      ? ofRun(GLYPHS.note, `hook ${data.hook}${data.text ? `: ${firstLine(data.text)}` : " ran"}`)
      : ofRun(GLYPHS.warning, `hook ${data.hook} failed: ${data.message ?? `exit code ${data.exit_code}`}`),
  warning: (data, event) =>
    data.node === null ? ofRun(GLYPHS.warning, data.message) : line(GLYPHS.warning, event, data.node, data.message),
  errors_jsonl_write_failed: (data) =>
    ofRun(GLYPHS.warning, `errors.jsonl could not be written (${data.path}): ${data.reason}`),
};

const AGAIN = {
  "definition changed": "its definition has changed",
  "definition or environment changed": "its definition, or the environment it names, has changed",
  "files changed": "a file that it runs or reads has changed",
  "inputs changed": "what it reads has changed",
} as const satisfies Record<NonNullable<EventData<"agent_started">["again"]>, string>;

const AFTER: Readonly<Record<string, string>> = {
  cancelled: "was stopped",
  waiting: "waited for its time",
  "handed over": "was handed over by its worker",
};
const afterWord = (after: string): string => AFTER[after] ?? after;

function actionWord(action: EventData<"error_routed">["action"], to: string | undefined): string {
  switch (action) {
    case "to":
      return `goes to ${to}`;
    case "halt":
      return "halts the run";
    case "propagate":
      return "is passed on to the workflow's caller";
    case "escalate":
      return "is escalated";
    case "dead_letter":
      return "becomes a dead letter";
    case "retry":
      return "is tried again";
    default:
      return action satisfies never;
  }
}

const refusers = (verdicts: EventData<"policy_evaluated">["verdicts"]): string =>
  verdicts
    .filter(({ allowed }) => allowed === false)
    .map(({ policyName, reason }) => `the policy ${policyName}${reason ? `: ${reason}` : ""}`)
    .join("; ");

/** The line of an event, if it is worth one. */
export function lineOf(event: RunEvent): EventLine | undefined {
  // A journal may have been edited: an event of the type `constructor` is none that is known.
  if (!Object.hasOwn(SAYINGS, event.type)) return undefined;
  const say = SAYINGS[event.type] as ((data: RunEvent["data"], event: RunEvent) => EventLine | undefined) | undefined;
  return say?.(event.data, event);
}

/** A wait that an earlier drive began goes on with what is left of it. */
const howLong = ({ duration_seconds, remaining_seconds }: EventData<"wait_started">): string =>
  remaining_seconds === undefined ? seconds(duration_seconds) : `${seconds(remaining_seconds)} more`;
