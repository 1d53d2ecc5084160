// Who drives a run, in words.

export interface Driver {
  readonly pid: number;
  readonly host: string;
  /** On a fleet: the worker's own name. */
  readonly worker?: string;
}

export const driverName = ({ pid, host, worker }: Driver): string =>
  worker === undefined ? `pid ${pid} on ${host}` : `worker ${worker}`;
