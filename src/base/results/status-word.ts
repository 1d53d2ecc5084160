// What the status of a run is called wherever it is read: in lists, in results, at the terminal, on the page and over MCP.
import type { Result, ResultStatus, RunSummary, RunSummaryStatus } from "./result.ts";

/** A workflow that ended itself did so well or badly: two ends, not one. */
export const statusWord = (status: ResultStatus | RunSummaryStatus, endedWell = true): string =>
  status === "terminated" ? `terminated: ${endedWell ? "success" : "failed"}` : status;

/** Of a run as lists show it: which of the two ends a terminated run had, only its exit code says. */
export const listedStatusWord = ({ status, exit_code }: Pick<RunSummary, "status" | "exit_code">): string =>
  statusWord(status, exit_code === 0);

/** Of a result. A run whose process is gone has failed, and lists call it crashed. */
export const resultStatusWord = ({ status, termination, errors }: Result): string =>
  status === "failed" && errors.some(({ error_type }) => error_type === "Interrupted")
    ? "crashed"
    : statusWord(status, termination?.status !== "failed");
