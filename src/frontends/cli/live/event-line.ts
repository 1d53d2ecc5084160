// What one event says in one line. The live tree prints these above itself when something ends; without a terminal
// they are all there is.
import { endingWords } from "../../../base/errors/who-handles.ts";
import { nodePath } from "../../../base/events/key.ts";
import { limitText } from "../../../base/events/limit-text.ts";
import { isGroup } from "../../../base/events/node-types.ts";
import type { EventData, EventType, RunEvent } from "../../../base/events/registry.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount, compact, duration, GLYPHS, type Glyph, money } from "../text/phrases.ts";
import { depthOf, type EventLine, isAmongMany, nameIn } from "./paint-line.ts";

/** What is said of the step, the group or the run that the event is about; `always` when no weight is given. */
type Saying = readonly [glyph: Glyph, text: string, weight?: EventLine["weight"]];
type Sayings = { readonly [Type in EventType]?: (data: EventData<Type>, event: RunEvent) => Saying | undefined };

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

const groupEnd = (data: EventData<"parallel_completed">, what: string): Saying => {
  const ended = data.success_count + data.failure_count;
  const total = data.count ?? ended;
  const lost = [
    data.failure_count > 0 && `, ${data.failure_count} failed`,
    total > ended && `, ${total - ended} stopped`,
  ]
    .filter(Boolean)
    .join("");
  const glyph = data.failed ? GLYPHS.failed : data.failure_count > 0 ? GLYPHS.warning : GLYPHS.done;
  return [glyph, `${data.success_count} of ${amount(total, what)} done${lost} in ${seconds(data.elapsed)}`];
};

/** @example "retry 2 of 5", "the limit resets" */
const retryWords = ({ until_reset, nth, attempt, max }: EventData<"retry_scheduled">): string =>
  until_reset ? "the limit resets" : `retry ${nth ?? attempt}${max === undefined ? "" : ` of ${max}`}`;

/** `max_attempts` counts all calls, the first included. */
export const modelRetry = ({ attempt, max_attempts }: EventData<"agent_retry">): string =>
  `retry ${attempt} of ${max_attempts - 1}`;

const SAYINGS: Sayings = {
  workflow_started: (data, event) => [
    GLYPHS.start,
    [data.name, ...(data.run_name === undefined ? [] : [`"${data.run_name}"`]), event.run_id].join(" "),
  ],
  run_resumed: (data, event) => [
    GLYPHS.start,
    `${data.outline.name} ${event.run_id}, going on after it ${afterWord(data.after)}${data.file_changed ? "; the file has changed since" : ""}`,
  ],
  agent_started: (data, event) =>
    isGroup(data.agent_type)
      ? undefined
      : [
          GLYPHS.start,
          `${data.agent_type} started${again(data.attempt)}${data.again ? `: ${AGAIN[data.again]}` : ""}`,
          // The live tree shows that it runs, not why it does so again.
          data.again && !isAmongMany(event) ? "always" : "begin",
        ],
  agent_completed: (data, event) => {
    if (isGroup(data.agent_type)) return undefined;
    if (data.is_explicit) return [GLYPHS.ended, `ends the workflow: ${data.termination_reason ?? ""}`];
    const exited = data.exit_code === undefined ? "" : `, exited with ${data.exit_code}`;
    const mended = data.repaired ? ", changed since it last ran" : "";
    return [
      data.exit_code === undefined ? GLYPHS.done : GLYPHS.warning,
      `done in ${seconds(data.elapsed)}${exited}${again(data.attempt)}${used(data)}${mended}`,
      isAmongMany(event) ? "item" : "always",
    ];
  },
  agent_failed: (data) => [
    GLYPHS.failed,
    `${data.kind ?? endingWords(data.error_type)}: ${firstLine(data.message)}${again(data.attempt)}`,
  ],
  agent_cancelled: (data, event) => [
    GLYPHS.cancelled,
    `stopped: ${data.reason}`,
    isAmongMany(event) ? "item" : "always",
  ],
  agent_reused: (data) => [
    GLYPHS.reused,
    data.changed_files
      ? `reused, though ${data.changed_files.join(", ")} has changed: its inputs are the same`
      : "reused: its inputs are the same",
    // How many there were is said once, at the end.
    "detail",
  ],
  agent_retry: (data) => [
    GLYPHS.retry,
    `${firstLine(data.error)}; asking the provider again in ${seconds(data.delay)} (${modelRetry(data)})`,
  ],
  agent_fallback: (data) => [GLYPHS.retry, `${data.kind}: trying ${data.to} instead of ${data.from}`],
  agent_parse_recovery: (data) => [
    GLYPHS.retry,
    `the answer had the wrong shape, asked again: ${firstLine(data.error)}`,
  ],
  agent_validation_failed: (data) => [GLYPHS.retry, `judged: ${data.issues.join("; ")}`],
  agent_tool_start: (data) => [GLYPHS.note, `calls ${data.tool_name}`, "detail"],
  agent_message: (data) => [GLYPHS.note, firstLine(data.content), "detail"],
  agent_tool_output_truncated: (data) => [
    GLYPHS.warning,
    `${data.tool_name} answered ${compact(data.original_chars)} characters, cut to ${compact(data.kept_chars)}`,
  ],
  skill_injection_warning: (data) => [GLYPHS.warning, data.message],
  context_trimmed: (data) => [GLYPHS.note, `context trimmed (${data.strategy}): ${data.dropped.join(", ")}`, "detail"],
  orphan_ended: (data) => [GLYPHS.warning, `ended process group ${data.pid}, which outlived the earlier drive`],
  wait_started: (data) => [GLYPHS.note, `waits ${howLong(data)}${data.reason ? `: ${data.reason}` : ""}`, "begin"],
  gate_presented: (data) => [GLYPHS.asks, `asks: ${firstLine(data.prompt)}`, "begin"],
  gate_notified: (data) => [
    data.ok ? GLYPHS.note : GLYPHS.recovered,
    data.ok
      ? data.reminder === 0
        ? "notified"
        : `reminded, ${data.reminder}×`
      : `the notification failed: ${firstLine(data.message ?? "")}`,
  ],
  gate_refused: (data) => [GLYPHS.recovered, `the answer does not count: ${firstLine(data.reason)}`],
  gate_resolved: (data) => [GLYPHS.asks, `answered "${data.selected_option}" (${data.answered_by})`],
  questions_presented: (data) => [GLYPHS.asks, `asks ${amount(data.questions.length, "question")}`, "begin"],
  questions_completed: (data) => [
    GLYPHS.asks,
    `${data.answered_count} answered, ${data.skipped_count} skipped (${data.answered_by})`,
  ],
  limit_wait_started: (data) => [GLYPHS.retry, `waits for its turn (limit ${data.limit})`],
  limit_wait_ended: (data) => [
    GLYPHS.start,
    `has its turn after ${seconds(data.waited_seconds)} (limit ${data.limit})`,
    "detail",
  ],
  route_taken: (data) => [GLYPHS.routed, `goes to ${data.to_agent}`, "detail"],
  error_routed: (data) => {
    if (data.action === "retry") return undefined;
    const where = data.route.line === undefined ? "" : ` (line ${data.route.line})`;
    const what = data.action === "to" ? `goes to ${data.to}` : ACTIONS[data.action];
    return [GLYPHS.routed, `${data.kind} ${what}${where}`];
  },
  error_recovered: (data) => [GLYPHS.recovered, `${data.kind} was handled by ${data.by}`, "detail"],
  retry_scheduled: (data) => [
    GLYPHS.retry,
    `${retryWords(data)} in ${seconds(data.delay_seconds)}${data.via ? `, by way of ${data.via}` : ""}`,
  ],
  retry_awaited: (data) => [
    GLYPHS.retry,
    `waits ${seconds(data.remaining_seconds)} more for retry ${data.nth ?? data.attempt}${data.max === undefined ? "" : ` of ${data.max}`}`,
  ],
  parallel_started: (data) => [GLYPHS.start, `${amount(data.agents.length, "member")} started`, "begin"],
  parallel_completed: (data) => groupEnd(data, "member"),
  for_each_started: (data) => [
    GLYPHS.start,
    `${amount(data.item_count, "item")}, ${data.max_concurrent} at a time`,
    "begin",
  ],
  for_each_completed: (data) => groupEnd(data, "item"),
  subworkflow_started: (data) => [GLYPHS.start, `sub-workflow ${data.workflow} started`, "begin"],
  iteration_limit_reached: (data) => [GLYPHS.warning, `${limitText(data)} is used up`],
  budget_exceeded: (data) => [
    GLYPHS.warning,
    `${money(data.spent_usd)} spent, the budget is ${money(data.budget_usd)}`,
  ],
  error_escalated: (data) => (data.failed ? undefined : [GLYPHS.routed, `${data.kind} was escalated (${data.by})`]),
  escalation_failed: (data) => [GLYPHS.warning, `the escalation of ${data.kind} did not get through: ${data.message}`],
  circuit_awaited: (data) => [GLYPHS.retry, `waits for the circuit ${data.breaker}, until ${data.until} at the latest`],
  circuit_passed: (data) => [
    GLYPHS.start,
    `let through by the circuit ${data.breaker} after ${seconds(data.waited_seconds)}`,
    "detail",
  ],
  dead_lettered: (data) => [GLYPHS.routed, `${data.kind} is kept as dead letter ${data.letter}`],
  dead_letter_resolved: (data) => [
    GLYPHS.done,
    `dead letter ${data.letter} is resolved`,
    data.item_key === undefined ? "always" : "item",
  ],
  circuit_opened: (data) => [
    GLYPHS.warning,
    `circuit ${data.breaker} opened after ${amount(data.failures, "failure")}; tried again in ${seconds(data.retry_after_seconds)}`,
  ],
  circuit_half_opened: (data) => [GLYPHS.note, `circuit ${data.breaker} lets a probe through`],
  circuit_closed: (data) => [GLYPHS.note, `circuit ${data.breaker} closed`],
  policy_evaluated: (data) => (data.allowed ? undefined : [GLYPHS.warning, `refused by ${refusers(data.verdicts)}`]),
  hook_ran: (data) =>
    data.ok
      ? [GLYPHS.note, `hook ${data.hook}${data.text ? `: ${firstLine(data.text)}` : " ran"}`]
      : [GLYPHS.warning, `hook ${data.hook} failed: ${data.message ?? `exit code ${data.exit_code}`}`],
  warning: (data) => [GLYPHS.warning, data.message],
  errors_jsonl_write_failed: (data) => [
    GLYPHS.warning,
    `errors.jsonl could not be written (${data.path}): ${data.reason}`,
  ],
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

const ACTIONS: Readonly<Record<Exclude<EventData<"error_routed">["action"], "to" | "retry">, string>> = {
  halt: "halts the run",
  propagate: "is passed on to the workflow's caller",
  escalate: "is escalated",
  dead_letter: "becomes a dead letter",
};

const refusers = (verdicts: EventData<"policy_evaluated">["verdicts"]): string =>
  verdicts
    .filter(({ allowed }) => allowed === false)
    .map(({ policyName, reason }) => `the policy ${policyName}${reason ? `: ${reason}` : ""}`)
    .join("; ");

/** The line of an event, if it is worth one. */
export function lineOf(event: RunEvent): EventLine | undefined {
  const { type, data, path } = event;
  // A journal may have been edited: an event of the type `constructor` is none that is known.
  if (!Object.hasOwn(SAYINGS, type)) return undefined;
  const say = SAYINGS[type] as ((data: RunEvent["data"], event: RunEvent) => Saying | undefined) | undefined;
  const said = say?.(data, event);
  if (!said) return undefined;
  const [glyph, words, weight = "always"] = said;
  const [name, text] = [nameIn(data), plainLineOf(words)];
  if (name === undefined) return { glyph, label: "", text, depth: 0, weight };
  const label = plainLineOf(nodePath(path, name));
  const group = "group" in data ? data.group : undefined;
  if (group === undefined) return { glyph, label, text, depth: depthOf(path), weight };
  return { glyph, label, text, depth: depthOf(path) + 1, weight, group: plainLineOf(nodePath(path, group)) };
}

/** A wait that an earlier drive began goes on with what is left of it. */
const howLong = ({ duration_seconds, remaining_seconds }: EventData<"wait_started">): string =>
  remaining_seconds === undefined ? seconds(duration_seconds) : `${seconds(remaining_seconds)} more`;
