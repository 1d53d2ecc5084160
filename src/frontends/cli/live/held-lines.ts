// The lines of a failure wait until the run goes on: if the run ends with the failure, the report below says the same.
import type { RunEvent } from "../../../base/events/registry.ts";

interface Held<Line> {
  readonly lines: readonly Line[];
  /** What the report may say as well. */
  readonly message: string | undefined;
  /** A step that calls a workflow fails with the message of the step inside. */
  readonly isCaller: boolean;
}

export class HeldLines<Line> {
  #held: Held<Line>[] = [];
  readonly #said = new Set<string>();

  /** The messages of errors and warnings whose lines were shown. */
  get said(): ReadonlySet<string> {
    return this.#said;
  }

  /** The lines to show now. `isDetail`: the event does not tell whether the run goes on. */
  take(event: RunEvent, { lines, isDetail }: { lines: readonly Line[]; isDetail: boolean }): readonly Line[] {
    const one = { lines, message: messageOf(event), isCaller: isCallerFailed(event) };
    const isWaiting = this.#held.length > 0;
    if (mayEndRun(event, isWaiting) || (isWaiting && isDetail)) {
      this.#held.push(one);
      return [];
    }
    return [...this.rest(), ...this.#show([one])];
  }

  /** The lines that still wait, without those that the report repeats. */
  rest(isReported: (message: string) => boolean = () => false): readonly Line[] {
    const held = this.#held.filter(({ message }) => message === undefined || !isReported(message));
    this.#held = [];
    return this.#show(held);
  }

  #show(shown: readonly Held<Line>[]): readonly Line[] {
    return shown.flatMap(({ lines, message, isCaller }) => {
      if (message === undefined || lines.length === 0) return lines;
      if (isCaller && this.#said.has(message)) return [];
      this.#said.add(message);
      return lines;
    });
  }
}

const isCallerFailed = ({ type, data }: RunEvent): boolean => type === "agent_failed" && data.agent_type === "workflow";

function messageOf({ type, data }: RunEvent): string | undefined {
  if (type === "agent_failed" || type === "warning") return data.message;
  return type === "agent_completed" && data.is_explicit ? data.termination_reason : undefined;
}

/** A failure; after one, the route that takes it, the end of its group, and the `terminate` step that it may lead to. */
function mayEndRun({ type, data }: RunEvent, isAfterFailure: boolean): boolean {
  switch (type) {
    case "agent_failed":
      return true;
    case "agent_started":
      return data.agent_type === "terminate";
    case "agent_completed":
      return data.is_explicit === true;
    case "error_routed":
      return isAfterFailure && data.action !== "retry";
    case "warning":
    case "agent_cancelled":
    case "parallel_completed":
    case "for_each_completed":
      return isAfterFailure;
    default:
      return false;
  }
}
