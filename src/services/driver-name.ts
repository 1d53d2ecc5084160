// Who drives a run, in words.

export interface DrivingProcess {
  readonly pid: number;
  readonly host: string;
  /** On a fleet: the worker's own name. */
  readonly worker?: string;
}

export const driverName = ({ pid, host, worker }: DrivingProcess): string =>
  worker === undefined ? `pid ${pid} on ${host}` : `worker ${worker}`;
