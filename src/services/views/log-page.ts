// A page of a run's log: forwards or backwards from a number, of some types, of one step, with a text in it.
import { nodePath } from "../../events/key.ts";
import { heldBackIn } from "../../events/printed-text.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { WatchedRun } from "./watched-run.ts";

export interface LogQuery {
  readonly after?: number;
  readonly before?: number;
  readonly to?: number;
  readonly limit?: number;
  /** Comma-separated. */
  readonly type?: string;
  /** `package/verify`, or the key of a visit. */
  readonly step?: string;
  readonly text?: string;
}

const LIMIT = 500;
/** A page ends when so much is on it. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function logPage(run: WatchedRun, query: LogQuery) {
  const { limit = LIMIT } = query;
  const matches = matching(query);
  const about = { last_seq: run.position, ended: run.state.status !== "running" };
  if (query.before !== undefined)
    return { ...about, events: await lastBefore(run, query.before, limit, matches), next: query.before - 1 };
  const events: RunEvent[] = [];
  const until = Math.min(query.to ?? run.position, run.position);
  let bytes = 0;
  for await (const event of run.log(query.after ?? 0, until)) {
    if (!matches(event)) continue;
    if (events.length >= limit || bytes > MOST_BYTES) return { ...about, events, next: event.seq - 1 };
    events.push(event);
    bytes += JSON.stringify(event).length;
  }
  return { ...about, events, next: null };
}

/** Going back: a growing stretch before the number is read until there are enough. */
async function lastBefore(
  run: WatchedRun,
  before: number,
  limit: number,
  matches: (event: RunEvent) => boolean,
): Promise<readonly RunEvent[]> {
  for (let stretch = limit * 2; ; stretch *= 4) {
    const from = Math.max(0, before - 1 - stretch);
    const found: RunEvent[] = [];
    for await (const event of run.log(from, before - 1)) if (matches(event)) found.push(event);
    if (found.length >= limit || from === 0) return found.slice(-limit);
  }
}

function matching({ type, step, text }: LogQuery): (event: RunEvent) => boolean {
  const types = type === undefined ? undefined : new Set(type.split(","));
  const wanted = text?.toLowerCase();
  return (event) =>
    (types === undefined || types.has(event.type) || (types.has("script_output") && heldBackIn(event).length > 0)) &&
    (step === undefined || isAboutStep(event, step)) &&
    (wanted === undefined || JSON.stringify(event.data).toLowerCase().includes(wanted));
}

function isAboutStep({ path, data }: RunEvent, step: string): boolean {
  const { key, agent_name, node, from_agent, group_name, item_key } = data as unknown as Readonly<
    Record<string, string | undefined>
  >;
  if (step.includes("#")) return key === undefined ? isOfVisit(step, agent_name ?? node, item_key) : key === step;
  const name = agent_name ?? node ?? from_agent ?? group_name;
  return name !== undefined && nodePath(path, name) === step;
}

/** Of an event without a key: whether its names are those that a key is made of. */
function isOfVisit(key: string, name: string | undefined, item_key: string | undefined): boolean {
  if (name === undefined) return false;
  const last = key.slice(key.lastIndexOf("/") + 1);
  if (item_key !== undefined) return last.includes(`[${item_key}].${name}`);
  return new RegExp(`(^|[.])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(#\\d+)?$`).test(last);
}
