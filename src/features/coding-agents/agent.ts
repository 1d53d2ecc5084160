// The one interface behind every coding agent, and behind its process. What surrounds an agent (sessions, deadlines, retries,
// money, events, what changed) is written once, in `work.ts`; processes are the floor above's, which also runs scripts.

import type { Readable, Writable } from "node:stream";
import type { JsonSchema } from "../../base/errors/mapping.ts";
import type {
  Effort,
  ProviderSettings,
  TokenCounts,
  ToolCall,
  ToolDefinition,
  ToolReply,
} from "../../providers/provider.ts";
import type { Permissions } from "./permissions.ts";

/** Files that an agent may not change, and folders that its commands may not even read. Absolute paths. */
export interface GuardedPaths {
  readonly readOnly: readonly string[];
  readonly unreadable: readonly string[];
}

export interface AgentSession {
  /** Ours, or for agents that name their sessions themselves, the one to go on with. */
  readonly id: string;
  readonly isNew: boolean;
}

export interface CodingTask {
  /** Empty: the agent's own default. */
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly session: AgentSession;
  /** Of the answer; an object at the root. */
  readonly schema?: JsonSchema;
  /** Segno's own, served to the agent. */
  readonly tools: readonly ToolDefinition[];
  /** Which of its own tools the agent may use; null: all of them. */
  readonly builtIns: readonly string[] | null;
  /** Another folder that its own tools may use. */
  readonly settingsDir?: string;
  readonly effort?: Effort;
  readonly maxTurns: number;
  /** What is left of the budget, where one is enforced. */
  readonly budgetUsd?: number;
  readonly settings: ProviderSettings;
  readonly permissions: Permissions;
  /** All of Segno's, its PATH without the agent's own folder: an agent gets what `environment.ts` lets through. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Where the user's packages are looked for, besides Segno's own. */
  readonly project: string;
  readonly guarded: GuardedPaths;
  /** `NAME=value` that everything started for this attempt has in its environment. */
  readonly mark: readonly [name: string, value: string];
  readonly processes: AgentProcesses;
  readonly signal: AbortSignal;
}

export interface AgentUse {
  /** Null: the agent does not say. */
  readonly tokens: TokenCounts | null;
  readonly model?: string;
  /** In dollars, if the agent says so itself; `later`: it will, at its end. */
  readonly costUsd?: number | "later";
  /** In dollars, as the file says of every call: it counts, whatever was used. */
  readonly priceUsd?: number;
}

/** The answer to a request for permission; `later`: no one can answer now, the agent is to stop. */
export type PermissionAnswer = "allow" | "deny" | "later";

/** What an agent tells while it works. Each call is a sign of life. */
export interface CodingHooks {
  /** Before the first request, and awaited: the id is on record from then on. */
  session(id: string): Promise<void>;
  spawned(pid: number, identity: string): void;
  /** Nothing to tell, but it lives. */
  heard(): void;
  turn(): void;
  text(chunk: string): void;
  reasoning(chunk: string): void;
  warn(message: string): void;
  /** Of the agent's own tools; Segno's are reported by `runTool`. */
  toolStarted(name: string, input: unknown): void;
  toolCompleted(name: string, result: unknown, failed: boolean): void;
  runTool(call: ToolCall): Promise<ToolReply>;
  /** False: it was not counted, since its price is not known before the agent says so. */
  used(used: AgentUse): boolean;
  /** `what` says what the agent wants to do; the answer is for exactly that `request`, all of it. */
  permit(what: string, request: unknown): Promise<PermissionAnswer>;
  /** It was refused something without anyone being asked. */
  denied(what: string): void;
}

export type CodingAnswer =
  | {
      readonly type: "answered";
      readonly text: string;
      /** What the agent gave as its answer of the asked shape. */
      readonly structured?: unknown;
    }
  /** `maxTurns` were used up. */
  | { readonly type: "out_of_turns"; readonly text: string }
  /** It tried as often as it does to fit the schema, and could not. */
  | { readonly type: "unfit"; readonly text: string; readonly reason: string }
  /** It asked for something, and there was no one to answer. */
  | { readonly type: "asks" };

export interface CodingAgent {
  readonly name: string;
  readonly defaultModel: string;
  /** Works until there is an answer. Throws `ProviderFailure`, or the signal's reason; nothing it started is left then. */
  work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer>;
  /** Whether the agent's folder has that session; left out by one that refuses what it does not know. */
  hasSession?(home: string, id: string): Promise<boolean>;
}

export interface AgentProcess {
  readonly pid: number;
  /** Names the process even when its number is used again. */
  readonly identity: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  stderrTail(): string;
  /** How it ended, in words: `exit code 1`, `SIGKILL`. */
  readonly exited: Promise<string>;
  /** The child itself, for packages that want one. */
  readonly child: unknown;
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
  startNow(request: AgentProcessRequest): AgentProcess;
  endMarked(mark: readonly [name: string, value: string]): Promise<void>;
}
