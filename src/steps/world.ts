// The outside as step executors reach it: processes, HTTP, MCP servers, models. Scenario tests replace these, so that an
// error path can be tested without causing the failure; executors cannot tell the difference.

import type { AgentChanges, Raised } from "../base/errors/index.ts";
import type { FileDigest } from "../base/events/step-files.ts";
import type { Caller, WorkflowPlace } from "./caller.ts";

export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete environment of the child, but for what the runner itself sets last (`SEGNO_ERROR_OUT`). */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Joins what the process prints, so that a secret which it prints in pieces is recorded in one. */
  readonly joined?: () => { push(chunk: string): string; end(): string };
}

export type ErrorFileContent = { readonly text: string } | { readonly unreadable: string };

/** One stream of a finished process, cut at the cap; the whole of it is in `spill` then. */
export interface Captured {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly spill?: string;
}

/** A process that still has a script's stdout or stderr open after the script has exited. */
export interface OutputHolder {
  readonly pid: number;
  /** The program's name; absent where it cannot be known. */
  readonly name?: string;
}

/**
 * `called`: the request's command with its secrets redacted. `onWorker`: where it ran on a machine that has not the request's
 * folder, beside the workflow's own files and nothing else.
 */
export type ProcessResult = {
  readonly called?: Pick<ProcessRequest, "command" | "args">;
  readonly onWorker?: { readonly cwd: string };
} & (
  | {
      readonly started: true;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: Captured;
      readonly stderr: Captured;
      /** The bytes of the error file as text; empty when nothing was raised; `unreadable` says why it could not be read. */
      readonly errorFile: ErrorFileContent;
      /** The attempt was aborted before the process had exited, so its end is not its own doing. */
      readonly interrupted?: boolean;
      /** Who still had its output open when reading ended. Empty if nobody could be found. */
      readonly holders?: readonly OutputHolder[];
    }
  | {
      readonly started: false;
      /** ENOENT, EACCES, ENOTDIR … */
      readonly code: string;
      readonly message: string;
      /** Of a recorded run: what the step raised then. */
      readonly error?: Raised;
    }
);

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long no byte may come before it is given up; for ever when left out. */
  readonly idle_seconds?: number;
  /** What also goes along when the answer leads to another origin. */
  readonly redirects?: { readonly send_headers?: readonly string[]; readonly send_body?: boolean };
  /** Whether a text holds a secret of the run. */
  readonly holdsSecret?: (text: string) => boolean;
}

/** What may be shown and recorded of a request. */
export interface ShownRequest {
  /** The request's address with its secrets redacted. */
  readonly address?: string;
  /** Redacts the run's secrets in other parts of the request. */
  readonly redact?: (value: unknown) => unknown;
}

export type HttpResult = ShownRequest &
  (
    | {
        readonly answered: true;
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        /** Parsed when the answer says it is JSON, otherwise text. */
        readonly body: unknown;
        readonly seconds: number;
      }
    | {
        readonly answered: false;
        readonly code: string;
        readonly message: string;
        /** A scenario's own error; without it the step raises `http.network`. */
        readonly error?: Raised;
      }
  );

export interface McpRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** A text is read as a number, a boolean, a list or a mapping where the tool asks for one. */
  readonly readsTexts?: boolean;
}

export interface McpAnswer {
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly content: unknown;
  /** Of a recorded run: the step's output as it was. */
  readonly recorded?: Readonly<Record<string, unknown>>;
}

/** `answer`: the tool itself said that it failed, and how. */
export type McpResult =
  | ({ readonly ok: true } & McpAnswer)
  | { readonly ok: false; readonly error: Raised; readonly answer?: McpAnswer };

export interface ModelRequest {
  /** `validator` judges an answer of the same agent, `dialog` talks about it; scripted answers are for `answer`. */
  readonly purpose: "answer" | "validator" | "dialog";
  readonly provider: string;
  /** Base URL, credentials, headers: neither part of a hash nor shown to anybody. The file's own when left out. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Tried in order on `provider.exhausted` and `circuit.open`. */
  readonly models: readonly string[];
  readonly system: string;
  readonly prompt: string;
  /** JSON Schema of the answer; absent: free text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Kinds the agent may raise; the contract is in the prompt already. */
  readonly raises: readonly string[];
  readonly tools: readonly string[] | null;
  /** MCP servers of this agent, besides the file's. Like `settings`, they may hold credentials. */
  readonly servers?: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Why the last answer to the same question was refused. */
  readonly refused?: string;
  /** Said instead of `prompt` where the session goes on in which the refused answer was given. */
  readonly correction?: string;
}

export interface ModelUsage {
  /** As it was asked for. */
  readonly model?: string;
  /** As the answer names it, if it does. */
  readonly response_model?: string;
  readonly provider?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cost_usd?: number | null;
  /** The price list does not know the model. */
  readonly estimated?: boolean;
}

interface ModelCallEnd {
  readonly usage: ModelUsage;
  /** Only of agents that work in a folder. */
  readonly changes?: AgentChanges | undefined;
}

export type ModelResult = ModelCallEnd &
  (
    | {
        readonly ok: true;
        /** The parsed answer: an object, or text. */
        readonly content: unknown;
      }
    | { readonly ok: false; readonly error: Raised; readonly content?: unknown }
  );

/** Files that script steps run or name. */
export interface StepFiles {
  /**
   * Those that the command and its arguments name: regular files below the workflow's folder, the root's, or the one that
   * the command runs in.
   */
  named(request: Pick<ProcessRequest, "command" | "args" | "cwd">, place: WorkflowPlace): readonly FileDigest[];
  /** For each pattern, relative to the workflow file, one digest of all files that it matches. Throws `BadValue`. */
  matched(patterns: readonly string[], place: WorkflowPlace): readonly FileDigest[];
  /** The paths of those that are not as they were. */
  changed(files: readonly FileDigest[], rootDir: string): readonly string[];
}

export interface StepWorld {
  /** Absent where no file is looked at, as in a scenario. */
  readonly files?: StepFiles;
  run(request: ProcessRequest, attempt: Caller): Promise<ProcessResult>;
  fetch(request: HttpRequest, attempt: Caller): Promise<HttpResult>;
  callTool(request: McpRequest, attempt: Caller): Promise<McpResult>;
  callModel(request: ModelRequest, attempt: Caller): Promise<ModelResult>;
  /** The environment that scripts inherit. */
  readonly env: Readonly<Record<string, string>>;
}
