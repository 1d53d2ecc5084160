// What each step does just now, in a few words, for the live tree: the tool it calls, the last line it printed.
// The run's state does not hold it: it is gone a moment later.

import { nodePath, slotOf } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import { plain } from "../text/harmless.ts";

const lastLine = (text: string): string => plain(text).trim().split("\n").at(-1)?.trim() ?? "";

/** The step and the words; no words: it has just begun, or ended. */
function said(event: RunEvent): readonly [string, string] | undefined {
  switch (event.type) {
    case "script_output":
      return [event.data.node, lastLine(event.data.text)];
    case "agent_tool_start":
      return [event.data.agent_name, `calls ${event.data.tool_name}`];
    case "agent_tool_complete":
      return [event.data.agent_name, `${event.data.tool_name} answered`];
    case "agent_message":
      return [event.data.agent_name, lastLine(event.data.content)];
    case "agent_reasoning":
      return [event.data.agent_name, "thinks"];
    case "agent_retry":
      return [event.data.agent_name, `asks again (${event.data.attempt} of ${event.data.max_attempts})`];
    case "agent_validator_start":
      return [event.data.agent_name, "is being judged"];
    case "http_started":
      return [event.data.node, `${event.data.method} ${event.data.target}`];
    case "mcp_started":
      return [event.data.node, event.data.target];
    case "limit_wait_started":
      return [event.data.agent_name, `waits for its turn (limit ${plain(event.data.limit)})`];
    case "limit_wait_ended":
      return [event.data.agent_name, ""];
    case "wait_started":
      return [event.data.agent_name, event.data.reason ?? `${event.data.duration_seconds}s`];
    case "agent_started":
    case "agent_completed":
    case "agent_failed":
    case "agent_cancelled":
      return [event.data.agent_name, ""];
    default:
      return undefined;
  }
}

interface Item {
  readonly group: string;
  readonly key: string;
}

/** What a handler does in an item's place is shown in the item's row, too. */
const placeOf = (path: readonly string[], name: string, item: Item | undefined): string =>
  nodePath(path, slotOf(name, item));

export class Doing {
  readonly #words = new Map<string, string>();

  take(event: RunEvent): void {
    const [name, words] = said(event) ?? [];
    if (name === undefined) return;
    const { group, item_key } = event.data as { readonly group?: string; readonly item_key?: string };
    const place = placeOf(event.path, name, item_key === undefined ? undefined : { group: group ?? "", key: item_key });
    if (words) this.#words.set(place, words);
    else this.#words.delete(place);
  }

  /** `item`: of an item of a for_each, whose step has one name for all of them. */
  of(path: readonly string[], name: string, item?: Item): string | undefined {
    return this.#words.get(placeOf(path, name, item));
  }
}
