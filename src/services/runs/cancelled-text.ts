// A run that was cancelled, in words: by whom and when.
import type { RunState } from "../../events/state/state.ts";

export function cancelledText({ runId, cancelled, lastAt }: Pick<RunState, "runId" | "cancelled" | "lastAt">): string {
  const who = cancelled?.by === undefined ? "" : ` by ${cancelled.by}`;
  return `the run ${runId} was cancelled${who}${lastAt === null ? "" : `, at ${lastAt}`}`;
}
