// `task_timeout`: the longest timeout that a step may have.
import { allowed, denied, numberOf, type Policy, type PolicyContext, type PolicyResult, skipped } from "../policy.ts";

/**
 * Denies a timeout that is not above 0, or above the limit. A step without one is not judged.
 *
 * @example new TaskTimeout({ max_seconds: 600 }).evaluate({ task: { timeout: 601 } });
 */
export class TaskTimeout implements Policy {
  readonly name = "task_timeout";
  readonly description: string;
  readonly maxSeconds: number;

  constructor(settings?: { readonly max_seconds?: number }) {
    this.maxSeconds = numberOf("TaskTimeout", "max_seconds", settings, 3600);
    this.description = `No step may have a timeout above ${this.maxSeconds} s.`;
  }

  evaluate({ task }: PolicyContext): PolicyResult {
    if (task?.timeout === undefined) return skipped(this.name, "task.timeout");
    const metadata = { timeout: task.timeout, max_seconds: this.maxSeconds };
    if (task.timeout > 0 && task.timeout <= this.maxSeconds) return allowed(this.name, metadata);
    const bound = task.timeout > 0 ? `above the ${this.maxSeconds} s that are allowed` : "not above 0";
    return denied(this.name, `the timeout of ${task.timeout} s is ${bound}`, metadata);
  }
}
