// A database that is restarted, killed or away for a while is waited for: what was asked is asked again.

/**
 * From the server: it shuts down, crashed, starts, has no place for one more connection, or a transaction was idle for
 * too long. From the network: no server answers, or the connection broke.
 */
const PASSING: ReadonlySet<string> = new Set([
  "25P03",
  "53300",
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** The driver gives these no code. */
const PASSING_TEXT =
  /Connection terminated|not queryable|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed/;

export function isConnectionLoss(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false;
  const { code } = problem as { code?: unknown };
  if (typeof code === "string") return PASSING.has(code);
  if (problem instanceof AggregateError && problem.errors.length > 0) return problem.errors.every(isConnectionLoss);
  return PASSING_TEXT.test(problem.message);
}

export interface Patience {
  /** For how long a database may be away, in milliseconds. */
  readonly forMs: number;
  readonly signal?: AbortSignal;
}

const FIRST_MS = 20;
const LONGEST_MS = 500;

/** Does the work, and does it again while the connection is lost; `work` must bear being done twice. */
export async function patiently<Result>(work: () => Promise<Result>, { forMs, signal }: Patience): Promise<Result> {
  const began = performance.now();
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    try {
      return await work();
    } catch (problem) {
      if (!isConnectionLoss(problem) || signal?.aborted || performance.now() - began > forMs) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
