// Whether a question is the one that an earlier drive asked, or the same words asked anew: an answer is to one of them.
import type { WorkflowFrame } from "../frame.ts";
import type { AskedAnew } from "./ask.ts";

export async function askedAnew({ engine, reuse }: WorkflowFrame, key: string): Promise<AskedAnew> {
  const { durable } = engine;
  const open = reuse ? durable.recall.get(key)?.asked : undefined;
  if (open) return open.at === undefined ? {} : { asked_at: open.at };
  if (durable.recall.drives === 0) return {};
  const { startedAt } = await durable.timed(() => undefined);
  return { asked_at: new Date(startedAt).toISOString() };
}
