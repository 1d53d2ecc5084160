// biome-ignore-all format: written by `npm run docs` from src/language/schema. Do not edit.
// What each type of step, and a workflow, can be given in code. The names are those of workflow files.
import type { Text, Value } from "./ref.ts";

export interface AgentFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** What the model is asked. A template. */
  readonly prompt?: Text;
  /** Who the model is to be. A template. */
  readonly system_prompt?: Text;
  /** The model, or a list: the next one is tried when a provider is exhausted or its breaker is open. May be a template. */
  readonly model?: Text | readonly Text[];
  readonly provider?: Text | {
    /** `openai` (and anything that speaks its protocol) or `anthropic` (`claude` is a synonym) call a model; `claude-agent-sdk`, `codex`, `copilot` and `acp` (any agent that speaks the Agent Client Protocol) are agents that read and edit files and run commands. */
    readonly name?: Text;
    /** Another address than the provider's own. */
    readonly base_url?: Text;
    /** The key, from the environment. */
    readonly api_key?: Text;
    /** For anthropic: a bearer token instead of a key. */
    readonly auth_token?: Text;
    /** A bearer token instead of a key. */
    readonly bearer_token?: Text;
    /** Headers to send with each call. */
    readonly headers?: Readonly<Record<string, Text>>;
    /** For copilot: the protocol behind `base_url`: openai, azure or anthropic. */
    readonly type?: Text;
    /** Which of OpenAI's interfaces to speak: completions or responses. */
    readonly wire_api?: Text;
    /** Azure's API version. */
    readonly azure?: {
      readonly api_version?: Text;
    };
    /** For agents that work in a folder (claude-agent-sdk, codex, copilot, acp). `read-only`: they change nothing. `workspace`, the default: they change files below their working directory, and commands run only inside a sandbox of the operating system. `full`: no limits. */
    readonly sandbox?: "read-only" | "workspace" | "full";
    /** For acp: the agent, by name: gemini, opencode, claude or goose. */
    readonly agent?: Text;
    /** For acp: the agent's program: a name in node_modules/.bin or on the PATH, or a path from this folder. */
    readonly command?: Text;
    /** For acp: arguments of the agent's program. */
    readonly args?: readonly Text[];
    /** For acp: variables that the agent's program gets besides those that every program needs. */
    readonly env?: Readonly<Record<string, Text>>;
    /** For acp: what one call of the agent counts against a budget, in dollars, whatever it says it used. */
    readonly price?: number;
    /** For agents that work in a folder: what they may do beyond their sandbox, in the agent's own words. Commands need a sandbox of the operating system around them, or `sandbox: full`. */
    readonly allow?: readonly Text[];
    /** For agents that work in a folder: what happens to a request that the sandbox does not allow. `deny` (the default) refuses it; `gate` asks a person. */
    readonly ask?: "deny" | "gate";
    /** For agents that work in a folder: whether their commands may use the network. They may not by default. */
    readonly network?: boolean;
    /** For agents that work in a folder: whose hooks, MCP servers and instructions they read. `none` by default; `project` the folder's; `user` also the user's. */
    readonly settings?: "none" | "project" | "user";
  };
  /** Which of the file's `tools` the agent may use. Left out: all of them. An empty list: none. */
  readonly tools?: readonly Text[];
  /** MCP servers of this agent, besides those of the file; one of the same name takes its place. */
  readonly mcp_servers?: Readonly<Record<string, {
    /** How to reach the server. */
    readonly type?: "stdio" | "http" | "sse";
    /** For stdio: the program to start. */
    readonly command?: Text;
    /** Its arguments. */
    readonly args?: readonly Text[];
    /** Environment variables to add. */
    readonly env?: Readonly<Record<string, Text>>;
    /** For http and sse: the address. */
    readonly url?: Text;
    /** Headers to send. */
    readonly headers?: Readonly<Record<string, Text>>;
    /** Milliseconds that a call may take. */
    readonly timeout?: number;
    /** Which of its tools agents may use. */
    readonly tools?: readonly Text[];
    /** For stdio: the folder to start it in, relative to this file; this file's folder when left out. */
    readonly working_dir?: Text;
  }>>;
  /** `raw` keeps the model's text as it is, without looking for JSON; not together with `output`. */
  readonly output_mode?: "raw" | "envelope";
  /** Transport retries of the provider's calls for this agent. For retries of the whole step, use a route with `retry`. */
  readonly retry?: {
    /** Calls in all, the first included; four when it is left out, as without `retry`. */
    readonly max_attempts?: number;
    /** How waits between calls grow. */
    readonly backoff?: "exponential" | "fixed";
    /** The first wait. */
    readonly delay_seconds?: number;
    /** Which failures of a call are tried again. */
    readonly retry_on?: readonly ("provider_error" | "timeout")[];
    /** How often to ask again for an answer that fits `output`. */
    readonly max_parse_recovery_attempts?: number | null;
  };
  /** How the model reasons. */
  readonly reasoning?: {
    /** How hard to think, or a template. */
    readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | Text;
  };
  /** A second model call that checks the answer. */
  readonly validator?: {
    /** What a good answer must satisfy. A template. */
    readonly criteria: Text;
    /** The model that judges; the agent's own by default. */
    readonly model?: Text;
    /** How often the agent may answer again after a failed check. */
    readonly max_retries?: number;
  };
  /** Lets the agent talk with the user before its answer counts. */
  readonly dialog?: {
    /** When to turn to the user. */
    readonly trigger_prompt: Text;
  };
  /** The folder that the agent works in, relative to this file; MCP servers too, except those of coding agents. A template. */
  readonly working_dir?: Text;
  /** Skills for this agent: names or folders, instead of the runtime's. An empty list: none. */
  readonly skills?: readonly Text[];
  /** Seconds after which the agent is stopped and raises `internal.timeout`. */
  readonly timeout_seconds?: number | Text;
  /** A synonym of `timeout_seconds`. */
  readonly timeout?: number | Text;
  /** The longest that one session with the provider may last. */
  readonly max_session_seconds?: number | Text;
  /** The most tool round trips in one answer. */
  readonly max_agent_iterations?: number;
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
  /** Agents with the same key go on with one conversation, as long as the run is driven; that of coding agents goes on after a resume. */
  readonly session_key?: Text;
  /** For agents that work in a folder (claude-agent-sdk, codex, copilot, acp). `read-only`: they change nothing. `workspace`, the default: they change files below their working directory, and commands run only inside a sandbox of the operating system. `full`: no limits. The provider's when left out. */
  readonly sandbox?: "read-only" | "workspace" | "full" | Readonly<Record<string, Value>>;
  /** For agents that work in a folder: what they may do beyond their sandbox, in the agent's own words. Commands need a sandbox of the operating system around them, or `sandbox: full`. */
  readonly allow?: readonly Text[];
  /** For agents that work in a folder: what happens to a request that the sandbox does not allow. `deny` (the default) refuses it; `gate` asks a person. */
  readonly ask?: "deny" | "gate";
  /** For agents that work in a folder: whether their commands may use the network. They may not by default. */
  readonly network?: boolean;
  /** For agents that work in a folder: whose hooks, MCP servers and instructions they read. `none` by default; `project` the folder's; `user` also the user's. */
  readonly settings?: "none" | "project" | "user";
  /** For agents that work in a folder: what happens when one was denied something it asked for. `warn` (the default) is a warning of the run, and `<step>.denied` lists it; `raise` makes the step raise `provider.denied`. */
  readonly on_denied?: "warn" | "raise";
}

export interface ScriptFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** The program to run. A template. */
  readonly command: Text;
  /** Its arguments, one each. Templates. `${X}` of a variable that is not set is left for the shell. */
  readonly args?: readonly Text[];
  /** Environment variables to add. Values are templates. */
  readonly env?: Readonly<Record<string, Text>>;
  /** What the command reads on its standard input; empty when left out. A template. */
  readonly stdin?: Text;
  /** The folder to run in, relative to this file; the root workflow's folder when left out. A template. */
  readonly working_dir?: Text;
  /** Files that the command reads, as patterns relative to this file: `*` is any part of a name, `**` any number of folders (`node_modules` and `.git` aside). They are part of the step's hash: when one of them changes, a resume runs the step again, and `cache` does not count. Name what it reads, not what it writes. */
  readonly files?: readonly Text[];
  /** Seconds after which the step is ended and raises `internal.timeout`. */
  readonly timeout?: number | Text;
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
}

export interface HttpFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** The address. A template. */
  readonly url: Text;
  /** The method. */
  readonly method?: Text;
  /** Headers to send. Values are templates. */
  readonly headers?: Readonly<Record<string, Text>>;
  /** Query parameters. Values are templates; a list repeats its parameter. */
  readonly query?: Readonly<Record<string, Value>>;
  /** What to send: a mapping or list as JSON, text as it is. Values are templates and keep their types. */
  readonly body?: Value;
  /** Seconds after which the step is ended and raises `internal.timeout`. Left out, the step waits as long as bytes come; after 300 s without one it raises `http.network`. */
  readonly timeout?: number | Text;
  /** Which answers count as success: statuses and ranges. 200-399 when left out. Any other raises `http.unavailable` (429, 5xx) or `http.status`. */
  readonly accept_status?: number | Text | readonly (number | Text)[];
  /** What goes along when the server redirects to another origin. By default neither the body nor any header beyond `accept`, `content-type`, `user-agent` and their like. */
  readonly redirects?: {
    /** Headers of this step that may go to another origin too. */
    readonly send_headers?: readonly Text[];
    /** Whether the body may go to another origin too. */
    readonly send_body?: boolean;
  };
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
}

export interface McpFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** One of `workflow.runtime.mcp_servers`. */
  readonly server: Text;
  /** The tool's name on that server. */
  readonly tool: Text;
  /** The tool's arguments. Values are templates and keep their types. */
  readonly arguments?: Readonly<Record<string, Value>>;
  /** Seconds after which the step is ended and raises `internal.timeout`. */
  readonly timeout?: number | Text;
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
}

export interface SetFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** The value. A template; `{{ x }}` alone keeps the type of x. */
  readonly value?: Value;
  /** Several values by name; the output is a mapping of them. */
  readonly values?: Readonly<Record<string, Value>>;
  /** What `value` must come to; `auto` when left out. Only with `value`. */
  readonly output_type?: "auto" | "string" | "number" | "integer" | "boolean" | "list" | "dict";
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
}

export interface WaitFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** How long: a number of seconds, `500ms`, `5s`, `2m`, `1h`, or a template; at most 24 hours. */
  readonly duration: Value;
  /** What is waited for, for people. A template. */
  readonly reason?: Text;
}

export interface HumanGateFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** The question, in Markdown. A template. */
  readonly prompt: Text;
  /** What can be chosen. */
  readonly options: readonly {
    /** The option's name, for `routes` on `<gate>.output.choice`. Its value when left out. */
    readonly name?: Text;
    /** What the person sees. The name when left out. */
    readonly label?: Text;
    /** What `<gate>.output.selected` will be. The name when left out. */
    readonly value?: Text;
    /** The step to go to when this is chosen. Left out, the gate's `routes` decide. */
    readonly route?: Text;
    /** More about the option. */
    readonly description?: Text;
    /** Ask for a text as well, kept as `<gate>.output.additional_input.<prompt_for>`. */
    readonly prompt_for?: Text;
    /** Whether that text may have several lines. */
    readonly multiline?: boolean;
    /** Whether that text may be left out. */
    readonly prompt_optional?: boolean;
  }[];
  /** How long to wait for an answer; then `gate.timeout` is raised. */
  readonly timeout?: number | Text;
  /** Remind people each time this long has passed without an answer. */
  readonly remind?: number | Text;
  /** Who may answer: names of `people` of the project, `@groups`, or a user and host. Anybody when left out. */
  readonly approvers?: readonly Text[];
  /** The person who started the run may not answer. */
  readonly four_eyes?: boolean;
  /** How to notify people that an answer is waited for. */
  readonly notify?: {
    /** A command that gets the question as JSON on its stdin. */
    readonly command?: Text;
    /** Its arguments. */
    readonly args?: readonly Text[];
    /** An address that the question is posted to, as JSON. */
    readonly webhook?: Text;
    /** Headers to send with it. */
    readonly headers?: Readonly<Record<string, Text>>;
  };
  /** The value of the option that counts as chosen when the timeout passes. Left out, it is an error. */
  readonly on_timeout?: Text;
}

export interface QuestionsFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** What to say before the first question, in Markdown. A template. */
  readonly prompt?: Text;
  /** The questions. */
  readonly questions?: readonly {
    /** The key of the answer; q1, q2 … when left out. */
    readonly id?: Text;
    /** The question. A template. */
    readonly text: Text;
    /** Help for the person who answers. */
    readonly hint?: Text;
    /** Answers to choose from. */
    readonly choices?: readonly Text[];
    /** Whether another answer may be typed. */
    readonly allow_free_text?: boolean;
    /** The answer when none is given. */
    readonly default?: Text;
    /** Whether it must be answered. */
    readonly required?: boolean;
    /** Whether the answer may have several lines. */
    readonly multiline?: boolean;
  }[];
  /** Where the list of questions comes from, instead of `questions`. */
  readonly source?: Text;
  /** Whether one may go back. */
  readonly allow_back?: boolean;
  /** Whether a question may be skipped. */
  readonly allow_skip?: boolean;
  /** Whether the rest may be skipped. */
  readonly allow_skip_all?: boolean;
  /** Whether the whole list may be called off. */
  readonly allow_abort?: boolean;
  /** How long to wait for an answer; then `gate.timeout` is raised. */
  readonly timeout?: number | Text;
  /** Remind people each time this long has passed without an answer. */
  readonly remind?: number | Text;
  /** Who may answer: names of `people` of the project, `@groups`, or a user and host. Anybody when left out. */
  readonly approvers?: readonly Text[];
  /** The person who started the run may not answer. */
  readonly four_eyes?: boolean;
  /** How to notify people that an answer is waited for. */
  readonly notify?: {
    /** A command that gets the question as JSON on its stdin. */
    readonly command?: Text;
    /** Its arguments. */
    readonly args?: readonly Text[];
    /** An address that the question is posted to, as JSON. */
    readonly webhook?: Text;
    /** Headers to send with it. */
    readonly headers?: Readonly<Record<string, Text>>;
  };
  /** Where to go then; `$end` when left out. Needs `allow_abort: true`. */
  readonly abort_route?: Text;
}

export interface WorkflowFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** Rules that turn a result into a typed error. Read in order when an attempt has finished and raised nothing itself; the first match raises. */
  readonly raise_when?: readonly {
    /** The condition: a template, or an expression over this step's output fields. */
    readonly when: Text;
    /** The kind to raise: a dotted lower-case name. */
    readonly kind: Text;
    /** What people read. A template; `output` is this step's output. */
    readonly message: Text;
    /** Whatever a handler needs to know. Values are templates and keep their types. */
    readonly details?: Readonly<Record<string, Value>>;
  }[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** The child's inputs. Values are templates and keep their types. Left out, the child gets those of this workflow's inputs that it declares. */
  readonly input_mapping?: Readonly<Record<string, Value>>;
  /** How deep this step may nest. A file that calls itself needs it. */
  readonly max_depth?: number;
  /** Reuse this step's result in other runs, as long as its definition and what it reads are the same. */
  readonly cache?: boolean | {
    /** How long a result may be reused. */
    readonly ttl?: number | Text;
  };
}

export interface TerminateFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What the step reads, in `context.mode: explicit`: `workflow.input.x`, `step.output`, `step.output.field`, `step.error`. A `?` at the end makes it optional. */
  readonly input?: readonly Text[];
  /** The phase this step belongs to, one of `workflow.phases`; the `phase_gate` policy looks at it. */
  readonly phase?: Text;
  /** How it ends: `success` is exit code 0, `failed` is 1. */
  readonly status: "success" | "failed";
  /** Why, for people. A template. */
  readonly reason: Text;
  /** The workflow's output on this path, instead of `output:`. Values are templates. */
  readonly output_template?: Readonly<Record<string, Value>>;
}

export interface ParallelFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What a failed member does: cancel the others (fail_fast), fail only if nothing succeeded (continue_on_error), or let all run and fail if any did (all_or_nothing). */
  readonly failure_mode?: "fail_fast" | "continue_on_error" | "all_or_nothing";
  /** Stop when, from the 10th item on, more than half failed with one kind. */
  readonly stop_on_systemic?: boolean;
  /** How many run at a time; all when left out. */
  readonly max_concurrent?: number;
}

export interface ForEachFields {
  /** What the step is for, in a sentence for people. */
  readonly description?: Text;
  /** What a failed member does: cancel the others (fail_fast), fail only if nothing succeeded (continue_on_error), or let all run and fail if any did (all_or_nothing). */
  readonly failure_mode?: "fail_fast" | "continue_on_error" | "all_or_nothing";
  /** Stop when, from the 10th item on, more than half failed with one kind. */
  readonly stop_on_systemic?: boolean;
  /** How many items run at a time. */
  readonly max_concurrent?: number;
  /** With many workers: let all of them run items, `max_concurrent` at a time over all. In one process it changes nothing. */
  readonly spread?: boolean;
  /** The field of an item that names it in `outputs` and `errors`. */
  readonly key_by?: Text;
}

export interface SectionFields {
  /** What the workflow does, in a sentence for people. */
  readonly description?: Text;
  /** The file's version. */
  readonly version?: Text;
  /** Anything you like; it is shown with the run. */
  readonly metadata?: Readonly<Record<string, Value>>;
  /** Texts or files put before every agent's prompt. */
  readonly instructions?: readonly Text[];
  /** What must hold before a step may run. */
  readonly policies?: readonly ({
    /** How many steps may run at a time in this store. */
    readonly max_concurrent_tasks?: number | {
      /** How many steps may run at a time in this store. */
      readonly max?: number;
    } | null;
    /** The longest timeout that a step may have. */
    readonly task_timeout?: number | Text | {
      /** The longest timeout that a step may have. */
      readonly max_seconds?: number | Text;
    } | null;
    /** The share of a phase's steps that must have succeeded before it is left. */
    readonly phase_gate?: number | {
      /** The share of a phase's steps that must have succeeded before it is left. */
      readonly min_success_rate?: number;
    } | null;
    /** Denies an agent that is running in another run, or whose last execution failed while its breaker is not closed. */
    readonly agent_availability?: Readonly<Record<string, never>> | boolean | null;
    /** Denies a step whose cost would exceed the limit. */
    readonly budget?: number | {
      /** The limit in US dollars. */
      readonly usd: number;
    };
    /** Your own policy: a module below this file's folder whose default export is a policy. */
    readonly module?: Text;
    /** A policy that a plugin of the project brings, by its name. */
    readonly policy?: Text;
  })[];
  /** The phases, in order, for the `phase_gate` policy. */
  readonly phases?: readonly Text[];
  /** What coding agents see of it. */
  readonly mcp?: {
    /** Whether `segno mcp --tools` offers the workflow as a tool of its own. */
    readonly tool?: boolean;
  };
  /** What steps see of one another. */
  readonly context?: {
    /** What templates see: all steps so far, only the last one, or only what `input` names. */
    readonly mode?: "accumulate" | "last_only" | "explicit";
    /** How large the context may grow. */
    readonly max_tokens?: number;
    /** What to do when it is larger. */
    readonly trim_strategy?: "summarize" | "truncate" | "drop_oldest";
  };
  /** Where a run is stopped. */
  readonly limits?: {
    /** The most step executions in a run, retries included; `unlimited` where nothing but the workflow itself, a timeout or a budget is to end it. A parallel group begins only when all its members fit; the items of a for_each are counted when it has ended. */
    readonly max_iterations?: number | "unlimited";
    /** The longest that a run may take; the time in which a person is asked does not count. */
    readonly timeout_seconds?: number | Text;
    /** The most that a run may cost. */
    readonly budget_usd?: number;
    /** Whether a run over its budget is only warned about, or stopped. */
    readonly budget_mode?: "audit" | "enforce";
  };
  /** How costs are shown and computed. */
  readonly cost?: {
    /** Whether to show what each agent cost. */
    readonly show_per_agent?: boolean;
    /** Whether to show what the run cost. */
    readonly show_summary?: boolean;
    /** Prices by model, where yours differ. */
    readonly pricing?: Readonly<Record<string, {
      /** US dollars for a million input tokens. */
      readonly input_per_mtok: number;
      /** US dollars for a million output tokens. */
      readonly output_per_mtok: number;
      /** US dollars for a million tokens read from the cache. */
      readonly cache_read_per_mtok?: number;
      /** US dollars for a million tokens written to the cache. */
      readonly cache_write_per_mtok?: number;
    }>>;
  };
  /** What to do when a run starts and ends. */
  readonly hooks?: {
    /** When a run starts. A template whose text is recorded, or a command to run. Not to be mixed up with `on_error` routes. */
    readonly on_start?: Text | {
      /** The program to run. */
      readonly command: Text;
      /** Its arguments. Templates. */
      readonly args?: readonly Text[];
      /** Environment variables to add. Values are templates. */
      readonly env?: Readonly<Record<string, Text>>;
    };
    /** When a run ends well. A template whose text is recorded, or a command to run. Not to be mixed up with `on_error` routes. */
    readonly on_complete?: Text | {
      /** The program to run. */
      readonly command: Text;
      /** Its arguments. Templates. */
      readonly args?: readonly Text[];
      /** Environment variables to add. Values are templates. */
      readonly env?: Readonly<Record<string, Text>>;
    };
    /** When a run fails. A template whose text is recorded, or a command to run. Not to be mixed up with `on_error` routes. */
    readonly on_error?: Text | {
      /** The program to run. */
      readonly command: Text;
      /** Its arguments. Templates. */
      readonly args?: readonly Text[];
      /** Environment variables to add. Values are templates. */
      readonly env?: Readonly<Record<string, Text>>;
    };
  };
  /** Providers, models, MCP servers and how runs are kept. */
  readonly runtime?: {
    readonly provider?: Text | {
      /** `openai` (and anything that speaks its protocol) or `anthropic` (`claude` is a synonym) call a model; `claude-agent-sdk`, `codex`, `copilot` and `acp` (any agent that speaks the Agent Client Protocol) are agents that read and edit files and run commands. */
      readonly name?: Text;
      /** Another address than the provider's own. */
      readonly base_url?: Text;
      /** The key, from the environment. */
      readonly api_key?: Text;
      /** For anthropic: a bearer token instead of a key. */
      readonly auth_token?: Text;
      /** A bearer token instead of a key. */
      readonly bearer_token?: Text;
      /** Headers to send with each call. */
      readonly headers?: Readonly<Record<string, Text>>;
      /** For copilot: the protocol behind `base_url`: openai, azure or anthropic. */
      readonly type?: Text;
      /** Which of OpenAI's interfaces to speak: completions or responses. */
      readonly wire_api?: Text;
      /** Azure's API version. */
      readonly azure?: {
        readonly api_version?: Text;
      };
      /** For agents that work in a folder (claude-agent-sdk, codex, copilot, acp). `read-only`: they change nothing. `workspace`, the default: they change files below their working directory, and commands run only inside a sandbox of the operating system. `full`: no limits. */
      readonly sandbox?: "read-only" | "workspace" | "full";
      /** For acp: the agent, by name: gemini, opencode, claude or goose. */
      readonly agent?: Text;
      /** For acp: the agent's program: a name in node_modules/.bin or on the PATH, or a path from this folder. */
      readonly command?: Text;
      /** For acp: arguments of the agent's program. */
      readonly args?: readonly Text[];
      /** For acp: variables that the agent's program gets besides those that every program needs. */
      readonly env?: Readonly<Record<string, Text>>;
      /** For acp: what one call of the agent counts against a budget, in dollars, whatever it says it used. */
      readonly price?: number;
      /** For agents that work in a folder: what they may do beyond their sandbox, in the agent's own words. Commands need a sandbox of the operating system around them, or `sandbox: full`. */
      readonly allow?: readonly Text[];
      /** For agents that work in a folder: what happens to a request that the sandbox does not allow. `deny` (the default) refuses it; `gate` asks a person. */
      readonly ask?: "deny" | "gate";
      /** For agents that work in a folder: whether their commands may use the network. They may not by default. */
      readonly network?: boolean;
      /** For agents that work in a folder: whose hooks, MCP servers and instructions they read. `none` by default; `project` the folder's; `user` also the user's. */
      readonly settings?: "none" | "project" | "user";
    };
    /** The model of agents that name none. */
    readonly default_model?: Text;
    /** How much answers vary. */
    readonly temperature?: number;
    /** The most tokens in an answer. */
    readonly max_tokens?: number;
    /** Seconds that one call to a provider may take. */
    readonly timeout?: number | Text;
    /** The longest that one session with a provider may last. */
    readonly max_session_seconds?: number | Text;
    /** The most tool round trips in one answer. */
    readonly max_agent_iterations?: number;
    /** How hard agents think when they do not say. */
    readonly default_reasoning_effort?: "low" | "medium" | "high" | "xhigh" | "max";
    /** MCP servers by name: agents use their tools, and `mcp` steps call them. */
    readonly mcp_servers?: Readonly<Record<string, {
      /** How to reach the server. */
      readonly type?: "stdio" | "http" | "sse";
      /** For stdio: the program to start. */
      readonly command?: Text;
      /** Its arguments. */
      readonly args?: readonly Text[];
      /** Environment variables to add. */
      readonly env?: Readonly<Record<string, Text>>;
      /** For http and sse: the address. */
      readonly url?: Text;
      /** Headers to send. */
      readonly headers?: Readonly<Record<string, Text>>;
      /** Milliseconds that a call may take. */
      readonly timeout?: number;
      /** Which of its tools agents may use. */
      readonly tools?: readonly Text[];
      /** For stdio: the folder to start it in, relative to this file; this file's folder when left out. */
      readonly working_dir?: Text;
    }>>;
    /** Conductor's checkpoints. Segno records every step as it happens, so nothing depends on them. */
    readonly checkpoint?: {
      /** Segno records every step anyway. */
      readonly every_agent?: boolean;
      /** Segno records every step anyway. */
      readonly every_seconds?: number;
      /** How many checkpoints Conductor keeps. */
      readonly keep_last?: number;
    };
    /** What happens to tool results that are too long for a model. */
    readonly tool_output?: {
      /** Whether long tool results are cut. */
      readonly enabled?: boolean;
      /** How many characters a model sees of one. */
      readonly max_chars?: number;
      /** Whether the whole result is kept in a file. */
      readonly spill_to_file?: boolean;
      /** Where; the run's folder when left out. */
      readonly spill_dir?: Value;
    };
    /** The folder that agents work in, relative to this file; MCP servers too, except those of coding agents. A template. */
    readonly working_dir?: Text;
    /** Skills for all agents: names or folders. */
    readonly skills?: readonly Text[];
    /** How much of a prompt skills may take. */
    readonly skill_injection?: {
      /** Warn when skills take more than this; null never warns. */
      readonly warn_bytes?: number | null;
      /** Refuse when skills take more than this; null never refuses. */
      readonly max_bytes?: number | null;
    };
    /** What a recorded step survives: a crash of the process, or a loss of power (slower). */
    readonly durability?: "process" | "power";
    /** Limits of your own on calls to models, shared by all runs of the store or the fleet: calls wait for their turn. */
    readonly limits?: readonly {
      /** Whose models. */
      readonly provider: Text;
      /** Which models: a name, or a pattern with `*`. */
      readonly model?: Text;
      /** Calls that may begin in a minute. */
      readonly requests_per_minute?: number;
      /** Input tokens that may be used in a minute, counted when a call has ended. */
      readonly input_tokens_per_minute?: number;
      /** Calls at a time. A coding agent's session is one call. */
      readonly concurrent?: number;
    }[];
    /** With many workers: which of the runs that wait is taken first. */
    readonly priority?: "high" | "normal" | "low";
    /** With many workers: whether a `for_each` with `spread` stays with the worker of its run (`worker`) or is spread (`any`). Left out, it stays when the file has script steps: they may share files. */
    readonly affinity?: "worker" | "any";
  };
  /** What happens to errors that no route took: retries, breakers, dead letters. */
  readonly resilience?: {
    /** Retries for errors that no route took. */
    readonly retry?: {
      /** Retries after the first attempt. */
      readonly max_retries?: number;
      /** The first wait, in seconds. */
      readonly initial_delay?: number;
      /** What each wait is multiplied by. */
      readonly backoff_multiplier?: number;
      /** The longest wait, in seconds. */
      readonly max_delay?: number;
      /** A fraction by which waits are lengthened at random, or `full`: anything between 0 and the wait. */
      readonly jitter?: number | "full";
      /** Which kinds are tried again; every kind that the registry calls retryable when left out. */
      readonly retryable?: readonly Text[];
      /** Where a provider refused a call and says when its limit resets, no later than this: wait for it. Such waits do not count as retries. */
      readonly wait_for_reset?: number | Text;
      /** A synonym of `max_retries`. */
      readonly max?: number;
      /** A synonym of `initial_delay`. */
      readonly initial_seconds?: number;
      /** A synonym of `max_delay`. */
      readonly max_seconds?: number;
    };
    /** Stops calling what keeps failing, for a while. */
    readonly circuit_breaker?: {
      /** Failures in a row that open the breaker. */
      readonly failure_threshold?: number;
      /** Seconds until an open breaker lets a call through again. */
      readonly recovery_timeout?: number | Text;
      /** Successes that close it again. */
      readonly success_threshold?: number;
      /** Calls let through at a time while it recovers. */
      readonly half_open_max?: number;
      /** One breaker for each thing that is called (`target`; `provider` is a synonym), or for each step. */
      readonly scope?: "target" | "provider" | "step";
      /** Which kinds count as failures; those of health when left out. */
      readonly counts?: readonly Text[];
    };
    /** Keep what failed for good as a dead letter, to be tried again later. */
    readonly dead_letter?: boolean;
    /** Whom to tell about an error that retrying cannot help. */
    readonly escalate?: {
      /** The program to run; it reads the result object on its standard input. */
      readonly command?: Text;
      /** Its arguments. */
      readonly args?: readonly Text[];
      /** Environment variables to add. */
      readonly env?: Readonly<Record<string, Text>>;
      /** The address to post the result object to, instead of a command. */
      readonly url?: Text;
      /** Headers to send with it. */
      readonly headers?: Readonly<Record<string, Text>>;
    };
  };
}

export interface RouteFields {
  /** Run this step again. `retry: 3` is short for `{max: 3}`. With `to`: go to that step instead, at most `max` times. */
  readonly retry?: number | {
    /** How often to try again on this visit. With `until`: as often as needed when left out. */
    readonly max?: number;
    /** `reset`: wait until the limit that refused the call is reset, and not for a growing time. Where no reset is known, the next route is read. */
    readonly until?: "reset";
    /** With `until`: where the reset is later than this, the next route is read. */
    readonly max_wait?: number | Text;
    /** How waits grow: d, 2d, 4d … (exponential), d, 2d, 3d … (linear), or d each time (fixed; `none` is a synonym). */
    readonly backoff?: "exponential" | "linear" | "fixed" | "none";
    /** The first wait, in seconds. */
    readonly initial_seconds?: number;
    /** The longest wait, in seconds. */
    readonly max_seconds?: number;
    /** A fraction j: each wait is multiplied by 1 + U(0, j), so that many runs do not come back at once. */
    readonly jitter?: number;
  };
  /** On a route to `$end`: laid over the workflow's output. Values are templates. */
  readonly output?: Readonly<Record<string, Value>>;
}
