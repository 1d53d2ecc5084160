// `execution.steps`: what became of each step, in file order, with members and children below theirs.
import type { ListedChanges } from "../events/agent-changes.ts";
import {
  type FrameState,
  type GroupState,
  membersInOrder,
  type NodeState,
  nodesInOrder,
  type OutlineNode,
  type RunState,
  statusOf,
  tookMs,
  type Usage,
} from "../events/index.ts";
import type { Redactor } from "../redact/index.ts";
import { shownKind } from "./entry.ts";
import type { Metrics, StepReport, Tokens } from "./result.ts";

/** A run, and until when what still runs in it counts: nothing where no process drives it. */
interface SeenRun {
  readonly state: RunState;
  readonly now: number | undefined;
}

export const stepReports = (run: SeenRun, frame: FrameState): StepReport[] =>
  nodesInOrder(frame).map(({ outline, node }) => reportOf(run, frame, node, outline));

/** Names are their author's to choose, also with a secret in them; words of our own are left alone. */
export function shownStep(step: StepReport, redactor: Pick<Redactor, "text">): StepReport {
  const { node_id, kind, item_key, changes, steps } = step;
  return {
    ...step,
    node_id: redactor.text(node_id),
    ...(kind === undefined ? {} : { kind: shownKind(kind, redactor) }),
    ...(item_key === undefined ? {} : { item_key: redactor.text(item_key) }),
    ...(changes ? { changes: shownChanges(changes, redactor) } : {}),
    ...(steps ? { steps: steps.map((inner) => shownStep(inner, redactor)) } : {}),
  };
}

const shownChanges = (changes: ListedChanges, redactor: Pick<Redactor, "text">): ListedChanges => ({
  ...changes,
  files: changes.files.map((file) => ({ ...file, path: redactor.text(file.path) })),
});

function reportOf(
  run: SeenRun,
  within: FrameState | GroupState,
  node: NodeState | undefined,
  outline: OutlineNode | undefined,
): StepReport {
  const { state, now } = run;
  const status = statusOf(state, within, node);
  const name = outline?.name ?? node?.name ?? "";
  const type = node?.type || outline?.type;
  const ended = status === "cut_off" ? ({ status: "cancelled", cut_off: true } as const) : { status };
  const head = { node_id: name, ...(type ? { type } : {}), ...ended };
  if (!node || status === "not_executed") {
    const members = (outline?.members ?? []).map((member) => reportOf(run, within, undefined, member));
    const rest = { duration_ms: null, cached: false, repaired: false, attempts: 0 };
    return { ...head, ...rest, ...itemOf(node), ...(members.length > 0 ? { steps: members } : {}) };
  }
  const showsKind = node.error !== null && (status === "failed" || status === "recovered");
  const children = childrenOf(run, node);
  return {
    ...head,
    duration_ms: Math.round(tookMs(state, node, status, now)),
    cached: node.cached || node.drive !== within.drive,
    repaired: node.repaired,
    attempts: node.attempts,
    ...(showsKind ? { kind: node.error?.kind } : {}),
    ...(status === "completed" && node.exitCode ? { exit_code: node.exitCode } : {}),
    ...(node.changes && (node.changes.files.length > 0 || node.changes.denied) ? { changes: node.changes } : {}),
    ...itemOf(node),
    ...(node.usage ? { tokens: tokensOf(node.usage), cost_usd: costOf(node.usage) } : {}),
    ...(children ? { steps: children } : {}),
  };
}

const itemOf = (node: NodeState | undefined): { item_key?: string } =>
  node && node.itemKey !== null ? { item_key: node.itemKey } : {};

function childrenOf(run: SeenRun, node: NodeState): StepReport[] | undefined {
  const { group, frame } = node;
  if (group) return membersInOrder(group).map((member) => reportOf(run, group, member, undefined));
  return frame ? stepReports(run, frame) : undefined;
}

// Tokens and money. What cannot be priced is null, with the models named: 0 would be a lie.

function tokensOf(usage: Usage): Tokens {
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    ...(cached > 0 ? { cached } : {}),
    ...(usage.reasoningTokens > 0 ? { reasoning: usage.reasoningTokens } : {}),
  };
}

/** Without the noise at the end of sums of floats. */
const dollars = (amount: number): number => Math.round(amount * 1e9) / 1e9;

const costOf = (usage: Usage): number | null => (usage.unpriced.size > 0 ? null : dollars(usage.costUsd));

export function metricsOf(state: RunState, durationMs: number | null, nodesExecuted: number): Metrics {
  const byModel = [...state.usageByModel].map(
    ([model, usage]) => [model, { tokens: tokensOf(usage), cost_usd: costOf(usage) }] as const,
  );
  return {
    duration_ms: durationMs,
    nodes_executed: nodesExecuted,
    total_cost_usd: costOf(state.usage),
    tokens: tokensOf(state.usage),
    by_model: Object.fromEntries(byModel),
    unpriced_models: [...state.usage.unpriced],
    ...(state.usage.estimated.size > 0 ? { estimated_models: [...state.usage.estimated] } : {}),
  };
}
