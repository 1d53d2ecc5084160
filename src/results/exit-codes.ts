// The exit codes and when each is used: one table for the program, `--help` and the docs.
import type { ExitCode } from "./result.ts";

export interface ExitCodeLine {
  readonly code: ExitCode;
  /** Follows "exit code N:". */
  readonly when: string;
}

export const EXIT_CODES: readonly ExitCodeLine[] = [
  { code: 0, when: "success, also a `terminate` with `status: success`" },
  {
    code: 1,
    when: "any other failure: a failed `terminate`, `halt`, a limit, the timeout, a schema violation without opt-in, a broken store",
  },
  {
    code: 2,
    when: "wrong use, and nothing ran: a bad command line, a file or inputs that do not load, an unknown run, one that cannot be resumed, an answer that is no option",
  },
  { code: 3, when: "an unhandled typed error; resumable" },
  { code: 4, when: "stopped at a human gate with no one to ask; resumable" },
  { code: 130, when: "Ctrl-C; resumable" },
];
