// What work costs on the processor: what else the machine does meanwhile is not its fault.

/** In milliseconds, for all threads of this process. */
export function processorMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
