// What a task's permissions are in the words of Claude's SDK.
import { join } from "node:path";
import { ProviderFailure } from "../../../providers/failure.ts";
import { anthropicName } from "../../../providers/prices.ts";
import type { CodingTask } from "../agent.ts";
import { agentEnvironment, type OsSandbox } from "../environment.ts";
import { guardedIn, isReadProtected, isWriteProtected } from "../guarded.ts";
import { CLAUDE_SOURCES } from "../permissions.ts";

export const SERVER = "segno";
export const OWN_TOOL = `mcp__${SERVER}__`;

/** They would outlive the step, or address a user or an agent that is not there. */
const NOT_HERE = [
  "AskUserQuestion",
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterWorktree",
  "ExitWorktree",
  "ListAgents",
  "Monitor",
  "RemoteTrigger",
  "ScheduleWakeup",
  "SendMessage",
  "Workflow",
];

export function claudeOptions(
  task: CodingTask,
  access: ClaudeAccess,
  os: OsSandbox,
): Readonly<Record<string, unknown>> {
  const { permissions, session, system, schema, model } = task;
  const isConfined = os.ready && permissions.sandbox !== "full";
  const rules = allowed(task, isConfined);
  return {
    cwd: task.cwd,
    env: access.env,
    ...(model ? { model: anthropicName(model) } : {}),
    ...(session.isNew ? { sessionId: session.id } : { resume: session.id }),
    systemPrompt: { type: "preset", preset: "claude_code", ...(system ? { append: system } : {}) },
    ...(schema ? { outputFormat: { type: "json_schema", schema } } : {}),
    ...(task.effort ? { effort: task.effort } : {}),
    maxTurns: task.maxTurns,
    ...(task.budgetUsd === undefined ? {} : { maxBudgetUsd: Math.max(task.budgetUsd, SMALLEST_BUDGET) }),
    ...(task.builtIns === null ? {} : { tools: [...task.builtIns] }),
    includePartialMessages: true,
    // Else a call of an agent that Claude started is heard of only if it wants a tool.
    forwardSubagentText: true,
    settingSources: permissions.sources ?? CLAUDE_SOURCES[permissions.settings],
    ...(task.settingsDir === undefined ? {} : { additionalDirectories: [task.settingsDir] }),
    strictMcpConfig: permissions.settings === "none",
    permissionMode: permissions.sandbox === "read-only" ? "default" : "acceptEdits",
    permissionPrompts: permissions.ask === "gate" || permissions.sandbox === "full" ? "host" : "none",
    allowedTools: rules.filter((rule) => !isWholeTool(rule)),
    disallowedTools: [...NOT_HERE, ...(mayRunCommands(task, isConfined) ? [] : ["Bash"])],
    // The SDK prints a warning for each whole tool in `allowedTools` where a person can be asked about others.
    settings: { permissions: { allow: rules.filter(isWholeTool), deny: denied(task) } },
    hooks: toolGuards(task),
    ...(isConfined ? { sandbox: sandboxOf(task, access) } : {}),
  };
}

/** Zero would be no budget at all. */
const SMALLEST_BUDGET = 0.000001;

const isWholeTool = (rule: string): boolean => !rule.includes("(");

function allowed({ permissions, tools }: CodingTask, isConfined: boolean): string[] {
  const { sandbox, allow, network } = permissions;
  return [
    ...(tools.length > 0 ? [`mcp__${SERVER}`] : []),
    // Inside the sandbox every command may run: the sandbox is what confines it.
    ...(sandbox === "workspace" && isConfined ? ["Bash(*)"] : []),
    ...(network ? ["WebFetch(*)", "WebSearch(*)"] : []),
    ...allow,
  ];
}

/** Commands without anything around them run only where all is allowed, or where a person is asked for each. */
export const mayRunCommands = ({ permissions: { sandbox, ask } }: CodingTask, isConfined: boolean): boolean =>
  isConfined || sandbox === "full" || ask === "gate";

function denied(task: CodingTask): string[] {
  if (task.permissions.sandbox === "full") return [];
  const { readOnly, unreadable } = guardedIn(task);
  return [
    ...readOnly.flatMap((path) => patternsOf(path).map((one) => `Edit(${one})`)),
    ...unreadable.flatMap((path) => patternsOf(path).flatMap((one) => [`Read(${one})`, `Edit(${one})`])),
  ];
}

/** A rule's path is a pattern: `app/[slug]` can be written as one, other names cannot (see `toolGuards`). */
function patternsOf(path: string): string[] {
  const literal = `/${path.replace(/[[\]]/g, "\\$&")}`;
  return [literal, `${literal}/**`];
}

function sandboxOf(task: CodingTask, access: ClaudeAccess): Readonly<Record<string, unknown>> {
  const { sandbox, network } = task.permissions;
  const { readOnly, unreadable } = guardedIn(task);
  return {
    enabled: true,
    failIfUnavailable: true,
    allowUnsandboxedCommands: false,
    autoAllowBashIfSandboxed: sandbox === "workspace",
    network: { allowedDomains: network ? ["*"] : [], allowLocalBinding: network },
    filesystem: {
      denyWrite: [...readOnly, ...(sandbox === "read-only" ? [task.cwd] : [])],
      denyRead: [...unreadable, join(task.home)],
    },
    credentials: { envVars: access.withheld.map((name) => ({ name, mode: "deny" })) },
  };
}

// Claude's own tools work outside of the sandbox, and its rules for them are patterns in which some names of folders cannot
// be written. So each call is looked at here as well, by the real paths of the files that it is about.

const READING = ["Read", "Grep", "Glob", "LS"];
const WRITING = ["Edit", "MultiEdit", "Write", "NotebookEdit"];
const NAMES_OF_PATHS = ["file_path", "notebook_path", "path"];

interface ToolUse {
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
}

function toolGuards(task: CodingTask): Readonly<Record<string, readonly unknown[]>> {
  if (task.permissions.sandbox === "full") return {};
  const guard = async ({ tool_name = "", tool_input = {} }: ToolUse): Promise<object> => {
    const paths = NAMES_OF_PATHS.map((name) => tool_input[name]).filter((path) => typeof path === "string");
    const isDenied = paths.some(
      (path) => isReadProtected(path, task) || (WRITING.includes(tool_name) && isWriteProtected(path, task)),
    );
    if (!isDenied) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "This file is guarded from you. Go on without it.",
      },
    };
  };
  return { PreToolUse: [{ matcher: [...READING, ...WRITING].join("|"), hooks: [guard] }] };
}

// How Claude gets at its model: a key, a gateway's token, Bedrock or Vertex. No consumer logins.

const CLOUD = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
  "CLAUDE_CODE_SKIP_VERTEX_AUTH",
  "ANTHROPIC_BEDROCK_BASE_URL",
  "ANTHROPIC_VERTEX_BASE_URL",
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "CLOUD_ML_REGION",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_PROFILE",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_PROJECT",
] as const;

export interface ClaudeAccess {
  readonly env: Readonly<Record<string, string>>;
  /** Handed over by a descriptor, so that no command finds it in an environment. */
  readonly key?: string;
  /** Variables that the sandbox takes away from commands: those that hold secrets all the same. */
  readonly withheld: readonly string[];
}

const CLOUDS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/** `auth_mode` says who pays, so nothing else may decide it. */
function refuseAuthMode({ settings, permissions, env }: CodingTask): void {
  const { auth_mode: mode } = settings;
  if (mode !== "api_key" && mode !== "subscription") return;
  const refuse = (why: string): never => {
    throw new ProviderFailure("unready", `auth_mode is ${mode}, but ${why}`);
  };
  if (mode === "subscription")
    refuse(
      "Segno does not use the login of Claude's program, and nothing else is paid by a subscription. Choose auth_mode: api_key, and set ANTHROPIC_API_KEY",
    );
  const cloud = CLOUDS.find((name) => env[name]);
  if (cloud) refuse(`${cloud} is set, which would let a cloud pay. Unset it, or choose auth_mode: auto`);
  if (permissions.settings !== "none")
    refuse("this agent reads settings, which may name somebody else. Take setting_sources or settings out");
  if (!(settings.api_key || env.ANTHROPIC_API_KEY)?.trim())
    refuse("there is no key: set ANTHROPIC_API_KEY, or api_key of the provider");
}

export function claudeAccess(task: CodingTask, temporary: string): ClaudeAccess {
  const { settings, env, home, mark } = task;
  refuseAuthMode(task);
  const usesCloud = Boolean(env.CLAUDE_CODE_USE_BEDROCK || env.CLAUDE_CODE_USE_VERTEX);
  const isByKey = settings.auth_mode === "api_key";
  const key = settings.api_key || (settings.auth_token && !isByKey ? undefined : env.ANTHROPIC_API_KEY);
  const token = key ? undefined : settings.auth_token || env.ANTHROPIC_AUTH_TOKEN;
  if (!key && !token && !usesCloud)
    throw new ProviderFailure(
      "unready",
      "no key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a gateway, CLAUDE_CODE_USE_BEDROCK or CLAUDE_CODE_USE_VERTEX for a cloud) in the environment. A login of the claude program is not used",
    );
  const url = settings.base_url || env.ANTHROPIC_BASE_URL;
  const headers = Object.entries(settings.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const kept = agentEnvironment(env, usesCloud ? CLOUD : []);
  const given: Record<string, string | undefined> = {
    ANTHROPIC_BASE_URL: url?.replace(/\/v1\/?$/, ""),
    ANTHROPIC_AUTH_TOKEN: token,
    ANTHROPIC_CUSTOM_HEADERS: headers.length > 0 ? headers.join("\n") : undefined,
    CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: key ? "3" : undefined,
    CLAUDE_CONFIG_DIR: home,
    CLAUDE_CODE_TMPDIR: temporary,
    // Retries are Segno's: one layer, counted and shown.
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
    // A refused request would be sent again without one experiment after the other, three times in all.
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
    // The model is the workflow's to choose: what it costs, and which one answered, is on record.
    CLAUDE_CODE_NO_MODEL_FALLBACK: "1",
    // Segno's tools are few and wanted: none is kept back until it is searched for.
    ENABLE_TOOL_SEARCH: "false",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    [mark[0]]: mark[1],
  };
  const own = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const secrets = [
    ...(token ? ["ANTHROPIC_AUTH_TOKEN"] : []),
    ...(headers.length > 0 ? ["ANTHROPIC_CUSTOM_HEADERS"] : []),
  ];
  const cloudSecrets = CLOUD.filter((name) => kept[name] !== undefined && /KEY|TOKEN|CREDENTIALS/.test(name));
  return {
    env: { ...kept, ...Object.fromEntries(own) },
    ...(key ? { key } : {}),
    withheld: [...secrets, ...cloudSecrets],
  };
}
