// DBOS keeps the settings of a queue in the database, where the worker that started last has set them for everybody. How
// many drives a worker takes at a time, and how often it asks for more, is its own matter: each poll is held to that.
import type { PolledQueue, QueueRunner } from "../packages.ts";

export function holdToOwnLimits(
  runner: QueueRunner,
  queues: readonly string[],
  limits: Pick<PolledQueue, "workerConcurrency" | "minPollingIntervalMs">,
): void {
  const poll = runner.pollQueue.bind(runner);
  runner.pollQueue = (executor, queue) => {
    if (queues.includes(queue.name)) Object.assign(queue, limits);
    return poll(executor, queue);
  };
}
