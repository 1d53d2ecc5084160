// Limits of one's own on calls to models: what is used of each, who waits and until when; and the runs that wait for a
// provider's limit to be reset.

import { slotOf } from "../../../base/events/key.ts";
import type { FrameState, NodeState } from "../../../base/events/state/state.ts";
import { head, type ListHead } from "../../../base/results/index.ts";
import { type BucketState, leftNow, perMinute } from "../../../engine/limits/call-bucket.ts";
import type { RunStore } from "../../../storage/store.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { stateOf } from "../../reading/read-run.ts";
import { orRefused } from "../../refusals.ts";
import type { Session } from "../../session/session.ts";
import { incompleteOf, nowOf, reading, withStore } from "../../session/store.ts";
import { slotScope } from "./call-turns.ts";

/** How much of a minute's worth is used; null where there is no such limit. */
export interface LimitUse {
  readonly used: number;
  readonly per_minute: number;
}

export interface LimitView {
  /** Provider and models: `anthropic claude-*`. */
  readonly name: string;
  readonly requests: LimitUse | null;
  readonly input_tokens: LimitUse | null;
  readonly concurrent: { readonly used: number; readonly most: number } | null;
  /** A server refuses calls until then, for the limit that it named. */
  readonly closed_until: string | null;
  readonly closed_by: string | null;
  /** In the order in which they came, one entry for each call. */
  readonly waiting: readonly { readonly run_id: string; readonly since: string }[];
}

export interface ResetWait {
  readonly run_id: string;
  readonly workflow: string;
  readonly node_id: string;
  readonly kind: string;
  readonly until: string;
}

export interface LimitsAnswer extends ListHead {
  readonly limits: readonly LimitView[];
  /** Runs that wait for a provider's limit to be reset, the soonest first. */
  readonly resets: readonly ResetWait[];
}

export const listLimits = (session: Session): Promise<LimitsAnswer> =>
  orRefused(session, { limits: [], resets: [] }, () =>
    withStore(session, async (store) => ({
      ...head(0),
      limits: await limitsOf(store, nowOf(store)),
      resets: await resetsOf(store, nowOf(store)),
      ...incompleteOf(store),
    })),
  );

async function limitsOf({ state: { limits, slots } }: RunStore, now: number): Promise<readonly LimitView[]> {
  const all = (await limits.list()).map(async ({ name, state }) =>
    viewOf(name, state as BucketState, now, await slots.taken(slotScope(name))),
  );
  return Promise.all(all);
}

function viewOf(name: string, state: BucketState, now: number, taken: number): LimitView {
  const { limit, closed, waiting } = state;
  const isClosed = closed !== null && closed.until > now;
  return {
    name,
    requests: useOf(state, "requests", now),
    input_tokens: useOf(state, "input_tokens", now),
    concurrent: limit.concurrent === undefined ? null : { used: taken, most: limit.concurrent },
    closed_until: isClosed ? new Date(closed.until).toISOString() : null,
    closed_by: isClosed ? closed.by : null,
    waiting: waiting.map(({ run, since }) => ({ run_id: run, since: new Date(since).toISOString() })),
  };
}

function useOf(state: BucketState, what: "requests" | "input_tokens", now: number): LimitUse | null {
  const most = perMinute(state, what);
  if (most === undefined) return null;
  return { used: Math.max(0, Math.ceil(most - (leftNow(state, what, now) ?? most))), per_minute: most };
}

/** More runs that go on are not read for it. */
const MOST_RUNS = 100;

async function resetsOf(store: RunStore, now: number): Promise<readonly ResetWait[]> {
  const found: ResetWait[] = [];
  for (const { runId, workflow } of await store.runs({ status: "running", limit: MOST_RUNS, withEvals: true })) {
    const state = await reading(store, runId, stateOf).catch((problem: unknown) => {
      // One that cannot be read, or is gone by now, keeps no other from being shown.
      if (problem instanceof StoreError) return undefined;
      throw problem;
    });
    for (const { name, retry, owner, itemKey } of state ? nodesOf(state.root) : []) {
      if (!retry?.isReset || Date.parse(retry.until) <= now) continue;
      const node_id = slotOf(name, owner && itemKey !== null ? { group: owner.name, key: itemKey } : undefined);
      found.push({ run_id: runId, workflow, node_id, kind: retry.kind, until: retry.until });
    }
  }
  return found.sort((a, b) => Date.parse(a.until) - Date.parse(b.until));
}

/** With those of its groups and sub-workflows. */
export function* nodesOf(frame: FrameState): Iterable<NodeState> {
  for (const node of frame.nodes.values()) yield* withInner(node);
}

function* withInner(node: NodeState): Iterable<NodeState> {
  yield node;
  if (node.frame) yield* nodesOf(node.frame);
  for (const member of node.group?.members.values() ?? []) yield* withInner(member);
}
