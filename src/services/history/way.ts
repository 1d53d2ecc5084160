// The way that a play took through its file, and where two ways part.
import type { RunEvent } from "../../events/registry.ts";

export interface PartingStep {
  readonly node: string;
  readonly path: readonly string[];
}

/** What comes next in each of two plays. */
export interface Routes {
  readonly was: string;
  readonly now: string;
}

/** One thing that happened, as far as it tells two ways apart. */
interface Fact extends PartingStep {
  readonly text: string;
  /** The same for people: `retry`, `to later`. */
  readonly said: string;
}

/** Where the second goes another way than the first: the step that decides it. Nothing where they are alike. */
export function partingOf(
  before: readonly RunEvent[],
  after: readonly RunEvent[],
): (PartingStep & { readonly routes: Routes }) | undefined {
  const [first, second] = [wayOf(before), wayOf(after)];
  const differing = first.findIndex((fact, index) => fact.text !== second[index]?.text);
  const at = differing === -1 ? first.length : differing;
  const [was, now] = [first[at], second[at]];
  // The same step did something else; or other steps ran, which the one before them led to.
  const place = was && now && was.node !== now.node ? (second[at - 1] ?? now) : (was ?? now);
  if (!place) return undefined;
  const { node, path } = place;
  return { node, path, routes: { was: was?.said ?? "the end", now: now?.said ?? "the end" } };
}

function wayOf(events: readonly RunEvent[]): readonly Fact[] {
  return events.flatMap((event): readonly Fact[] => {
    const path = event.path ?? [];
    const fact = (node: string, text: string, said: string): readonly Fact[] => [
      { node, path, said, text: `${path.join("/")} ${node} ${text}` },
    ];
    switch (event.type) {
      case "agent_started": {
        const { agent_name, key, attempt } = event.data;
        return fact(agent_name, `began ${key} ${attempt}`, attempt > 1 ? `attempt ${attempt}` : `to ${agent_name}`);
      }
      case "error_raised":
        return fact(event.data.node, `raised ${event.data.error.kind}`, event.data.error.kind);
      case "error_routed": {
        const { node, action, to } = event.data;
        return fact(node, `${action} ${to ?? ""}`, action !== "retry" && to ? `to ${to}` : action);
      }
      case "error_unhandled":
        return fact(event.data.node, "unhandled", "unhandled");
      case "route_taken":
        return fact(event.data.from_agent, `led to ${event.data.to_agent}`, `to ${event.data.to_agent}`);
      default:
        return [];
    }
  });
}
