// Starting and ending an agent's process, as this room needs it. The floor above implements it: ending a whole tree is
// what scripts need too.
import type { Readable, Writable } from "node:stream";

export interface AgentProcess {
  readonly pid: number;
  /** Names the process even when its number is used again. */
  readonly identity: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The end of what it wrote to stderr. */
  stderrTail(): string;
  /** How it ended, in words: `exit code 1`, `SIGKILL`. */
  readonly exited: Promise<string>;
  /** The child itself, for packages that want one. */
  readonly child: unknown;
  /** Ends it and everything it started. */
  end(): Promise<void>;
}

export interface AgentProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Also in `env`: by it, what left the tree is found. */
  readonly mark: readonly [name: string, value: string];
  /** Written to the descriptor 3, which is then closed: a key that no environment holds. */
  readonly secret?: string;
}

/** A temporary folder for what an agent needs while it runs. */
export interface AgentFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** By it an agent's process is known to work in a folder, also when its Segno is gone: the folder is the value. */
export const WORKS_IN = "SEGNO_AGENT_FOLDER";

type Remove = (paths: readonly string[]) => Promise<void>;

/** A folder while an agent works in it. */
export interface WorkPlace {
  /** Has removed what was not there before, unless another agent works there: then the last of them does it. */
  leave(remove: Remove): Promise<void>;
}

/** As Node names them. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

export interface AgentProcesses {
  readonly machine: Machine;
  /** Says to this user's other processes that an agent works in a folder, and which paths were not there before. */
  enterFolder(folder: string, absent: readonly string[]): Promise<WorkPlace>;
  /** Has removed what agents left in folders in which none works any more. */
  clearFolders(remove: Remove): Promise<void>;
  /** Whether an agent works there, of whatever process. */
  isWorkedIn(folder: string): boolean;
  /** Of this process alone; those of processes that were killed are removed on the way. */
  makeFolder(): Promise<AgentFolder>;
  /** Throws when it cannot be started. */
  startNow(request: AgentProcessRequest): AgentProcess;
  /** Ends everything that has the mark in its environment. */
  endMarked(mark: readonly [name: string, value: string]): Promise<void>;
}
