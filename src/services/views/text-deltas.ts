// Chunks of text that follow one another at the same place are sent as one: a model speaks in thousands of them.
import type { RunEvent } from "../../events/registry.ts";

const TEXT_OF: Readonly<Partial<Record<RunEvent["type"], "text" | "content">>> = {
  script_output: "text",
  agent_message: "content",
  agent_reasoning: "content",
};

/** The events with neighbouring chunks joined. A joined one has the number and the time of the last. */
export function joinDeltas(events: readonly RunEvent[]): readonly RunEvent[] {
  const joined: RunEvent[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    const both = before && join(before, event);
    if (both) joined[joined.length - 1] = both;
    else joined.push(event);
  }
  return joined;
}

function join(before: RunEvent, event: RunEvent): RunEvent | undefined {
  const field = Object.hasOwn(TEXT_OF, event.type) ? TEXT_OF[event.type] : undefined;
  if (field === undefined || before.type !== event.type) return undefined;
  const [first, second] = [before.data, event.data] as unknown as Readonly<Record<string, unknown>>[];
  if (!first || !second || typeof first[field] !== "string" || typeof second[field] !== "string") return undefined;
  if (placeOf(before) !== placeOf(event)) return undefined;
  return { ...event, data: { ...second, [field]: `${first[field]}${second[field]}` } } as unknown as RunEvent;
}

function placeOf({ path, data }: RunEvent): string {
  const { key, node, agent_name, group, item_key, stream } = data as unknown as Readonly<Record<string, unknown>>;
  return JSON.stringify([path, key, node, agent_name, group, item_key, stream]);
}
