// An event as it may leave the process. Which of its parts are the author's, so that keys there are names and not hints,
// is known here.

import { isMapping } from "../errors/mapping.ts";
import type { RunEvent } from "../events/index.ts";
import { isGroup } from "../events/node-types.ts";
import type { Redactor } from "../redact/index.ts";
import { isWide } from "./wide-text.ts";

/** The event without secrets; itself when there was none. `text`: its data as JSON, where that is made already. */
export function redactEvent(event: RunEvent, redactor: Redactor, text = ""): RunEvent {
  const data = isWide(text) && !redactor.mayHide(text) ? event.data : dataOf(event, redactor);
  // Slots hold the keys of items, and a key may be a secret.
  const path = event.path.length === 0 ? event.path : redactor.value(event.path);
  return data === event.data && path === event.path ? event : ({ ...event, path, data } as RunEvent);
}

function dataOf(event: RunEvent, redactor: Redactor): unknown {
  switch (event.type) {
    case "workflow_completed":
    case "workflow_failed": {
      const { output, ...rest } = event.data;
      const shown = redactor.value(output, { keys: "author" });
      const others = redactor.value(rest) as object;
      return shown === output && others === rest
        ? event.data
        : { ...others, ...(output === undefined ? {} : { output: shown }) };
    }
    case "agent_completed":
    case "agent_failed":
      return isGroup(event.data.agent_type) ? groupData(event.data, redactor) : redactor.value(event.data);
    case "parallel_completed":
    case "for_each_completed":
      return groupData(event.data, redactor);
    default:
      return redactor.value(event.data);
  }
}

/** A group's output has maps keyed by member: a member named `auth` is no secret, what it gave may hold one. */
function groupData(data: Readonly<Record<string, unknown>>, redactor: Redactor): unknown {
  const { output } = data;
  if (!isMapping(output)) return redactor.value(data);
  const { outputs, errors, changes, ...rest } = output;
  return {
    ...(redactor.value({ ...data, output: undefined }) as object),
    output: {
      ...(redactor.value(rest) as object),
      outputs: byName(outputs, redactor),
      errors: byName(errors, redactor),
      ...(changes === undefined ? {} : { changes: byName(changes, redactor) }),
    },
  };
}

const byName = (map: unknown, redactor: Redactor): unknown =>
  isMapping(map)
    ? Object.fromEntries(Object.entries(map).map(([name, value]) => [redactor.text(name), redactor.value(value)]))
    : redactor.value(map);
