// The part of the live tree that moves: what runs now, from the run's state. What has ended is already a line above it.
import { statusOf } from "../../../base/events/state/read.ts";
import type { FrameState, GroupState, NodeState, RunState } from "../../../base/events/state/state.ts";
import type { Colors } from "../output.ts";
import { amount, compact, duration, money } from "../text/phrases.ts";
import { cut, pad } from "../text/width.ts";

export interface LiveMoment {
  readonly now: number;
  /** Since when a node runs, by the clock on the wall: a scenario's own clock runs elsewhere. */
  readonly since: (node: NodeState) => number;
  /** What a step does just now: the tool it calls, the last line it printed. */
  readonly doing: (path: readonly string[], node: NodeState) => string | undefined;
  readonly colors: Colors;
  readonly columns: number;
  readonly rows: number;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const spinner = (now: number): string => SPINNER[Math.floor(now / 80) % SPINNER.length] ?? "·";

/** How many members of a group are shown one by one. */
const SHOWN_MEMBERS = 6;

interface Row {
  readonly depth: number;
  readonly sign: string;
  readonly name: string;
  readonly rest: string;
}

/** Where a row stands: the sub-workflow, and how deep. */
interface Spot {
  readonly path: readonly string[];
  readonly depth: number;
}

/** Lines of the region, at most two thirds of the terminal's height. */
export function region(state: RunState, moment: LiveMoment): readonly string[] {
  const rows = new Rows(state, moment).ofFrame(state.root, { path: [], depth: 0 });
  const room = Math.max(Math.floor((moment.rows * 2) / 3), 4);
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const widest = Math.min(
    Math.max(0, ...shown.map(({ depth, name }) => depth * 2 + name.length)),
    Math.floor(moment.columns / 2),
  );
  const lines = shown.map(({ depth, sign, name, rest }) => {
    const label = cut(name, Math.max(widest - depth * 2, 8));
    return `${"  ".repeat(depth)}${sign} ${pad(label, widest - depth * 2)}  ${rest}`.trimEnd();
  });
  if (shown.length < rows.length) lines.push(moment.colors.dim(`  and ${rows.length - shown.length} more`));
  return [...lines, footer(state, moment)];
}

class Rows {
  constructor(
    private readonly state: RunState,
    private readonly moment: LiveMoment,
  ) {}

  ofFrame(frame: FrameState, spot: Spot): Row[] {
    return [...frame.nodes.values()]
      .filter((node) => this.#isActive(frame, node))
      .flatMap((node) => this.#ofNode(node, node.name, spot));
  }

  #isActive(within: FrameState | GroupState, node: NodeState): boolean {
    const status = statusOf(this.state, within, node);
    if (node.group && node.group.running > 0 && node.drive === within.drive) return true;
    return status === "running" || status === "paused" || (node.retry !== null && node.drive === within.drive);
  }

  #ofNode(node: NodeState, name: string, { path, depth }: Spot): Row[] {
    const { colors, now, since, doing } = this.moment;
    if (node.retry) return [{ depth, sign: colors.yellow("↻"), name, rest: retrying(node.retry, this.moment) }];
    if (this.#asks(node)) return [{ depth, sign: colors.cyan("?"), name, rest: colors.cyan("waits for an answer") }];
    const sign = colors.cyan(spinner(now));
    const elapsed = colors.dim(running(now - since(node)));
    if (node.group) {
      const row = { depth, sign, name, rest: `${counts(node.group, colors)}  ${elapsed}` };
      return [row, ...this.#ofMembers(node.group, name, { path, depth: depth + 1 })];
    }
    const attempt = node.attempts > 1 ? colors.yellow(`  attempt ${node.attempts}`) : "";
    const words = doing(path, node);
    const row = { depth, sign, name, rest: `${elapsed}${attempt}${words ? colors.dim(`  ${words}`) : ""}` };
    if (!node.frame) return [row];
    return [row, ...this.ofFrame(node.frame, { path: [...path, node.frame.slot ?? name], depth: depth + 1 })];
  }

  #asks(node: NodeState): boolean {
    return node.key !== null && this.state.gates.has(node.key);
  }

  #ofMembers(group: GroupState, name: string, spot: Spot): Row[] {
    const active = [...group.members.values()].filter((member) => this.#isActive(group, member));
    const rows = active
      .slice(0, SHOWN_MEMBERS)
      .flatMap((member) =>
        this.#ofNode(member, member.itemKey === null ? member.name : `${name}[${member.itemKey}]`, spot),
      );
    if (active.length <= SHOWN_MEMBERS) return rows;
    return [...rows, { depth: spot.depth, sign: " ", name: `and ${active.length - SHOWN_MEMBERS} more`, rest: "" }];
  }
}

/** Never in milliseconds: digits that change with every frame only flicker. */
const running = (milliseconds: number): string =>
  milliseconds < 1000 ? `${(Math.max(milliseconds, 0) / 1000).toFixed(1)}s` : duration(milliseconds);

function counts({ count, succeeded, recovered, failed, running }: GroupState, colors: Colors): string {
  const parts = [`${succeeded} of ${count} done`];
  if (running > 0) parts.push(colors.cyan(`${running} running`));
  if (recovered > 0) parts.push(colors.yellow(`${recovered} recovered`));
  if (failed > 0) parts.push(colors.red(`${failed} failed`));
  return parts.join(colors.dim(" · "));
}

/** From here on minutes and hours say more. */
const LONG_WAIT_MS = 120_000;

function retrying(retry: NonNullable<NodeState["retry"]>, { now, colors }: LiveMoment): string {
  const { until, nth, max, isReset, kind } = retry;
  const left = Math.max(Date.parse(until) - now, 0);
  const span = left < LONG_WAIT_MS ? `${Math.ceil(left / 1000)}s` : duration(left);
  const when = left > 0 ? `in ${span}` : "now";
  const what = isReset ? "the limit resets" : `retry ${nth}${max === null ? "" : ` of ${max}`}`;
  return `${colors.yellow(`${what} ${when}`)}  ${colors.red(kind)}`;
}

function footer(state: RunState, { now, colors }: LiveMoment): string {
  const { root, usage } = state;
  const ended = [...root.nodes.values()].filter((node) => {
    const status = statusOf(state, root, node);
    return status === "completed" || status === "recovered";
  }).length;
  const parts = [root.name, `${ended} of ${amount(Math.max(root.outline.nodes.length, ended), "step")}`];
  if (state.driveStartedAt) parts.push(running(now - Date.parse(state.driveStartedAt)));
  const tokens = usage.inputTokens + usage.outputTokens;
  if (tokens > 0) parts.push(`${compact(tokens)} tokens`);
  if (usage.costUsd > 0) parts.push(`${money(usage.costUsd)}${usage.unpriced.size > 0 ? "+" : ""}`);
  for (const [breaker, status] of state.breakers)
    if (status !== "closed") parts.push(`circuit ${breaker} ${status.replace("_", "-")}`);
  if (state.letters.size > 0) parts.push(amount(state.letters.size, "dead letter"));
  return colors.dim(`  ${parts.join(" · ")}`);
}
