// How Claude gets at its model: a key, a gateway's token, Bedrock or Vertex. No consumer logins.

import { ProviderFailure } from "../../failure.ts";
import type { CodingTask } from "../agent.ts";
import { agentEnvironment } from "../environment.ts";

/** Variables that Bedrock and Vertex are reached by. */
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

export function claudeAccess({ settings, env, home, mark }: CodingTask, temporary: string): ClaudeAccess {
  const usesCloud = Boolean(env.CLAUDE_CODE_USE_BEDROCK || env.CLAUDE_CODE_USE_VERTEX);
  const key = settings.api_key || (settings.auth_token ? undefined : env.ANTHROPIC_API_KEY);
  const token = key ? undefined : settings.auth_token || env.ANTHROPIC_AUTH_TOKEN;
  if (!key && !token && !usesCloud)
    throw new ProviderFailure(
      "unready",
      "no key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a gateway, CLAUDE_CODE_USE_BEDROCK or CLAUDE_CODE_USE_VERTEX for a cloud) in the environment and resume the run. A login of the claude program is not used",
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
