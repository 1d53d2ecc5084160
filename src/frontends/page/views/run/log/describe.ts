// An event as a line of the log: what happened, in a few words, and to which step; and whether the log keeps its end in sight.
import type { Envelope } from "../../../../../base/errors/index.ts";
import { itemOfKey, visitNumber } from "../../../../../base/events/key.ts";
import type { RunEvent } from "../../../../../base/events/registry.ts";
import { withoutEscapes } from "../../../parts/ansi.ts";
import type { State } from "../../../parts/button.tsx";
import type { RowsHandle } from "../../../parts/rows.tsx";
import type { StepAddress } from "../../../state/step-address.ts";
import { durationText } from "../../../text.ts";
import { type PolicyVerdictJson, verdictLine } from "../step/verdict-words.ts";

export interface LogLine {
  readonly what: string;
  readonly more: string;
  readonly state: State | null;
  readonly step: StepAddress | null;
  readonly item: string | null;
  readonly visit: number | null;
}

/** They stand beside the events of their step, and say no more than those do. */
const BESIDE_STEP: ReadonlySet<string> = new Set([
  "script_spawned",
  "script_started",
  "http_started",
  "http_completed",
  "mcp_started",
  "mcp_completed",
]);

/** An attempt has one line: its start while it runs, its end afterwards. Where an error leads is said once as well. */
export function withoutRepetition(events: readonly RunEvent[]): readonly RunEvent[] {
  const ended = new Set<string>();
  const raised = new Set<string>();
  for (const { type, data } of events) {
    if (type === "agent_completed" || type === "agent_failed" || type === "agent_cancelled")
      ended.add(attemptName(data));
    if (type === "agent_failed") raised.add(`${data.key} ${data.message}`);
  }
  return events.filter(({ type, data }) => {
    if (type === "agent_started") return !ended.has(attemptName(data));
    if (type === "error_raised") return !raised.has(`${data.key} ${data.error.message}`);
    if (type === "error_routed") return data.action !== "retry";
    if (type === "route_taken") return data.error !== true;
    // Its line has what was held back of the script's words until then.
    if (type === "script_completed") return (data.held_back?.length ?? 0) > 0;
    return !BESIDE_STEP.has(type);
  });
}

const attemptName = ({ key, attempt }: { readonly key?: string | undefined; readonly attempt: number }): string =>
  `${key} ${attempt}`;

type Fields = Readonly<Record<string, unknown>>;

const STATES: readonly (readonly [RegExp, State])[] = [
  [/retry|recovery/, "retrying"],
  [/recovered|routed/, "recovered"],
  [/failed|raised|unhandled|exceeded|opened|dead_lettered/, "failed"],
  [/cancelled/, "cancelled"],
  [/reused/, "reused"],
  [/presented|paused|wait_started/, "waiting"],
  [/completed|resolved|closed|taken|answered/, "completed"],
  [/started|resumed|spawned/, "running"],
];

export function logLine({ type, path, data }: RunEvent): LogLine {
  const fields = data as Fields;
  const named = fields["agent_name"] ?? fields["node"] ?? fields["group_name"] ?? fields["from_agent"];
  // The end of a run is an event of the root; the step that it is about may be further inside.
  const inside = (fields["agent_path"] as readonly string[] | undefined) ?? path;
  return {
    what: type.replace(/^agent_/, "").replaceAll("_", " "),
    more: withoutEscapes(moreOf(type, fields)),
    state: stateOf(type, fields),
    step: typeof named === "string" ? { path: inside, node: named } : null,
    item: itemIn(fields, named),
    visit: typeof fields["key"] === "string" ? visitNumber(fields["key"]) : null,
  };
}

const stateOf = (type: string, fields: Fields): State | null =>
  type === "policy_evaluated"
    ? fields["allowed"] === false
      ? "failed"
      : "completed"
    : (STATES.find(([words]) => words.test(type))?.[1] ?? null);

/** Which item of its for_each the step stands for: said by name, by the visit's key, or by the error that the step raised. */
function itemIn(fields: Fields, named: unknown): string | null {
  if (typeof fields["item_key"] === "string") return fields["item_key"];
  if (typeof fields["key"] === "string") return itemOfKey(fields["key"]);
  const error = fields["error"] as Envelope | string | undefined;
  if (typeof error !== "object" || error.raised_at.node !== named) return null;
  // What halted a run was made of the error that a route took.
  return error.item_key ?? error.cause?.item_key ?? null;
}

const text = (value: unknown): string =>
  typeof value === "string"
    ? value
    : value === undefined || value === null
      ? ""
      : JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? withoutEscapes(inner) : inner));

function moreOf(type: string, fields: Fields): string {
  const error = fields["error"] as { readonly kind?: string; readonly message?: string } | undefined;
  if (error?.kind) return `${error.kind}: ${error.message ?? ""}`;
  const held = fields["held_back"] as readonly { readonly text: string }[] | undefined;
  // What a script had printed last, and what no event of its own shows.
  if (held) return held.map((one) => text(one.text).trimEnd()).join("\n");
  switch (type) {
    case "script_output":
    case "agent_message":
    case "agent_reasoning":
      return text(fields["text"] ?? fields["content"]).trimEnd();
    case "agent_prompt_rendered":
      return text(fields["rendered_prompt"]);
    case "route_taken":
      return `→ ${text(fields["to_agent"])}`;
    case "error_routed":
      return `${text(fields["kind"])} → ${text(fields["to"] ?? fields["action"])}`;
    case "retry_scheduled":
      return `${text(fields["kind"])}, ${retryText(fields)}`;
    case "agent_tool_start":
    case "agent_tool_complete":
      return `${text(fields["tool_name"])} ${text(fields["arguments"] ?? fields["result"])}`;
    case "agent_failed":
      return [fields["kind"], fields["message"]].map(text).filter(Boolean).join(": ");
    case "script_started":
      return [fields["command"], ...((fields["args"] as readonly string[] | undefined) ?? [])].join(" ");
    case "policy_evaluated":
      return verdictLine((fields["verdicts"] as readonly PolicyVerdictJson[] | undefined) ?? []);
    case "circuit_awaited":
      return `${text(fields["breaker"])}, until ${text(fields["until"])} at the latest`;
    case "circuit_passed":
      return `${text(fields["breaker"])}, after ${durationText(Number(fields["waited_seconds"]) * 1000)}`;
    case "gate_resolved":
      return `${text(fields["selected_option"])} by ${text(fields["answered_by"])}`;
    default: {
      const said = fields["message"] ?? fields["reason"] ?? fields["prompt"] ?? fields["kind"];
      if (said !== undefined && said !== null) return text(said);
      if (typeof fields["elapsed"] === "number") return durationText(fields["elapsed"] * 1000);
      return fields["output"] === undefined ? "" : text(fields["output"]);
    }
  }
}

/** What comes, not what was: the event names the attempt that failed. By way of another step it is a new visit. */
function retryText({ attempt, delay_seconds, via }: Fields): string {
  const wait = `tried again in ${durationText(Number(delay_seconds) * 1000)}`;
  return via === undefined ? `${wait}, attempt ${Number(attempt) + 1}` : `${wait} by way of ${text(via)}`;
}

type Sight = Pick<RowsHandle, "scrollOffset" | "scrollSize" | "viewportSize">;

/** @param slack so much may be out of sight */
export const isEndInSight = ({ scrollOffset, scrollSize, viewportSize }: Sight, slack: number): boolean =>
  scrollOffset + viewportSize >= scrollSize - slack;

/**
 * After the list moved. Only scrolling up is the user's wish: where more came, or the list got smaller, before the
 * scroll event arrived, the end is out of sight without one.
 */
export const goesOnFollowing = (
  before: { readonly isFollowing: boolean; readonly offset: number },
  now: Sight,
  slack: number,
): boolean => isEndInSight(now, slack) || (before.isFollowing && now.scrollOffset >= before.offset);
