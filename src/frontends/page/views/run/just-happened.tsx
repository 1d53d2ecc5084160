// A line of the banner: what the run has met last, with the step that it is about.
import type { ComponentChildren } from "preact";
import { visitNumber } from "../../../../base/events/key.ts";
import { statusOf } from "../../../../base/events/state/read.ts";
import type { FrameState, NodeState, RunState } from "../../../../base/events/state/state.ts";
import { currentWarnings } from "../../../../base/events/state/warnings.ts";
import { serverNow } from "../../api/clock.ts";
import { Icon, TextLink } from "../../parts/button.tsx";
import { chooseStep } from "../../state/selection.ts";
import { type StepAddress, stepText } from "../../state/step-address.ts";
import { waitText } from "../../text.ts";

export function JustHappenedLine({ state }: { readonly state: RunState }) {
  const happened = justHappened(state);
  if (!happened) return null;
  const { step, item, visit, what } = happened;
  const look = what === "recovered" ? "recovered" : what === "passed after retries" ? "completed" : "retrying";
  const link = <TextLink go={() => chooseStep(step, { item, visit })}>{step}</TextLink>;
  return (
    <p class={`banner-met middle is-${look}`}>
      <Icon name={look} />
      <span>
        {link} {sentence(happened)}
      </span>
    </p>
  );
}

/** Rounded as the countdown on the step is: both say the same. */
function sentence(happened: JustHappened): ComponentChildren {
  switch (happened.what) {
    case "waits to retry":
      return (
        <>
          is tried again {waitText(happened.until, serverNow.value)}, after <code class="kind">{happened.kind}</code>
        </>
      );
    case "waits for a circuit":
      return `waits until the circuit ${happened.breaker} lets it through; it gives up ${waitText(happened.until, serverNow.value)}`;
    case "retries":
      return `is being tried again: attempt ${happened.attempt}`;
    case "passed after retries":
      return `succeeded at attempt ${happened.attempt}`;
    case "recovered":
      return (
        <>
          recovered from <code class="kind">{happened.kind}</code>
          {happened.by !== null && ` by ${happened.by}`}
        </>
      );
    default:
      return happened satisfies never;
  }
}

interface Place {
  readonly step: string;
  readonly item: string | null;
  /** null: the last one. */
  readonly visit: number | null;
}

type JustHappened =
  | (Place & { readonly what: "waits to retry"; readonly kind: string; readonly until: string })
  | (Place & { readonly what: "waits for a circuit"; readonly breaker: string; readonly until: string })
  | (Place & { readonly what: "retries" | "passed after retries"; readonly attempt: number })
  | (Place & { readonly what: "recovered"; readonly kind: string; readonly by: string | null });

/** The most pressing of them; null: all went as planned so far. */
function justHappened(state: RunState): JustHappened | null {
  let retrying: JustHappened | null = null;
  let passed: JustHappened | null = null;
  for (const { node, address, isRunning } of retriedIn(state)) {
    const place = { step: stepText(address), item: node.itemKey, visit: null };
    if (!isRunning) passed = { ...place, what: "passed after retries", attempt: node.attempts };
    else if (node.hold) return { ...place, what: "waits for a circuit", ...node.hold };
    else if (node.retry) return { ...place, what: "waits to retry", kind: node.retry.kind, until: node.retry.until };
    else retrying = { ...place, what: "retries", attempt: node.attempts };
  }
  return retrying ?? recoveredIn(state) ?? passed;
}

interface RetriedNode {
  readonly node: NodeState;
  readonly address: StepAddress;
  readonly isRunning: boolean;
}

/** Steps that are or were tried more than once on the run's present course, or whose call waits for a breaker. */
function* retriedIn(state: RunState, frame = state.root, path: readonly string[] = []): Iterable<RetriedNode> {
  for (const node of frame.nodes.values()) {
    yield* retried(state, frame, node, path);
    for (const member of node.group?.members.values() ?? []) yield* retried(state, node.group ?? frame, member, path);
  }
  for (const [slot, child] of frame.frames)
    if (child.status === "running") yield* retriedIn(state, child, [...path, slot]);
}

function* retried(
  state: RunState,
  within: Parameters<typeof statusOf>[1] | FrameState,
  node: NodeState,
  path: readonly string[],
): Iterable<RetriedNode> {
  const address = { path, node: node.name };
  const status = statusOf(state, within, node);
  const isRunning = status === "running" || (node.retry !== null && status === "failed");
  if (isRunning && state.status === "running") {
    if (node.retry || node.hold || node.attempts > 1) yield { node, address, isRunning };
  } else if (status === "completed" && node.attempts > 1 && !node.cached) yield { node, address, isRunning: false };
}

/** The error that a route took care of last. */
export function recoveredIn(state: RunState): JustHappened | null {
  const last = currentWarnings(state).findLast(({ kind, node, error }) => kind === "recovered" && node && error);
  if (!last?.error || last.node === null) return null;
  const { path, node, itemKey: item, error, by, key } = last;
  // Members of a group are counted with their group.
  const visit = key && /#\d+$/.test(key) ? visitNumber(key) : null;
  return { what: "recovered", step: stepText({ path, node }), item, visit, kind: error.kind, by };
}
