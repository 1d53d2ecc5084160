// A run's events as progress notifications: one for each thing a person would want to hear of, counted up.
import type { Listener } from "../services/request.ts";

type Notify = (progress: number, message: string) => void;

export function progressTo(notify: Notify): Listener {
  let count = 0;
  return (event) => {
    const message = messageOf(event);
    if (message !== undefined) notify(++count, message);
  };
}

function messageOf(event: Parameters<Listener>[0]): string | undefined {
  const place = (name: string): string => [...event.path, name].join("/");
  switch (event.type) {
    case "workflow_started":
      return `run ${event.run_id} of ${event.data.name} began`;
    case "run_resumed":
      return `run ${event.run_id} goes on`;
    case "agent_started":
      return `${place(event.data.agent_name)} runs${event.data.attempt > 1 ? ` (attempt ${event.data.attempt})` : ""}`;
    case "agent_completed":
      return `${place(event.data.agent_name)} done`;
    case "error_raised":
      return `${place(event.data.node)} raised ${event.data.error.kind}: ${event.data.error.message}`;
    case "retry_scheduled":
      return `${place(event.data.node)} is tried again in ${event.data.delay_seconds} s`;
    case "gate_presented":
      return `${place(event.data.agent_name)} asks a person`;
    default:
      return undefined;
  }
}
