// Translates a task into options of Copilot's SDK. Its folder is the run's: it has no user's hooks, servers or logins.

import { relative, resolve } from "node:path";
import { realPath } from "../../../base/real-path.ts";
import { ANOTHER_PROVIDER, ProviderFailure } from "../../../providers/failure.ts";
import type { CodingTask } from "../agent.ts";
import { agentEnvironment } from "../environment.ts";
import { isInGit, isReadProtected, isWriteProtected, leadsInto } from "../guarded.ts";
import { bringSettings, describeWish, ofUser } from "../permissions.ts";
import type { CopilotRequest, CopilotSdk } from "./listen.ts";

type Options = Readonly<Record<string, unknown>>;

const TOKENS = ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"] as const;

/** A runtime of the user's own, where the package has none for a machine. */
const OWN = ["COPILOT_CLI_PATH"];

export function clientOptions(sdk: CopilotSdk, task: CodingTask): Options {
  const { settings, env, cwd, home, mark } = task;
  const url = settings.runtime_url || env.COPILOT_PROVIDER_RUNTIME_URL;
  const connectionToken = settings.runtime_token || env.COPILOT_PROVIDER_RUNTIME_TOKEN;
  if (url) return { connection: sdk.RuntimeConnection.forUri(url, connectionToken ? { connectionToken } : {}) };
  const token = TOKENS.map((name) => env[name]).find(Boolean);
  if (!token && !endpoint(task))
    throw new ProviderFailure(
      "unready",
      `no key: set ${TOKENS.join(" or ")} in the environment, give the provider a base_url, ${ANOTHER_PROVIDER}`,
    );
  return {
    workingDirectory: cwd,
    baseDirectory: home,
    env: { ...agentEnvironment(env, OWN), COPILOT_HOME: home, COPILOT_AUTO_UPDATE: "false", [mark[0]]: mark[1] },
    ...(token ? { gitHubToken: token } : {}),
    useLoggedInUser: false,
    logLevel: "error",
  };
}

function endpoint({ settings, env }: CodingTask): Options | undefined {
  const baseUrl = settings.base_url || env.COPILOT_PROVIDER_BASE_URL;
  if (!baseUrl) return undefined;
  return {
    type: settings.type ?? "openai",
    baseUrl,
    apiKey: settings.api_key || env.COPILOT_PROVIDER_API_KEY,
    bearerToken: settings.bearer_token || env.COPILOT_PROVIDER_BEARER_TOKEN,
    wireApi: settings.wire_api,
    headers: settings.headers,
    azure: settings.azure?.api_version ? { apiVersion: settings.azure.api_version } : undefined,
  };
}

export function sessionOptions(task: CodingTask): Options {
  const { model, effort, system, builtIns, tools, permissions } = task;
  const isOwn = permissions.settings === "none";
  return {
    ...(model ? { model } : {}),
    ...(effort ? { reasoningEffort: effort } : {}),
    ...(system ? { systemMessage: { content: system } } : {}),
    ...(builtIns === null ? {} : { availableTools: [...builtIns, ...tools.map(({ name }) => name)] }),
    provider: endpoint(task),
    workingDirectory: task.cwd,
    streaming: true,
    enableSessionTelemetry: false,
    // What would outlive the step, or bring something from another.
    manageScheduleEnabled: false,
    enableSessionStore: false,
    memory: { enabled: false },
    skipCustomInstructions: isOwn,
    enableConfigDiscovery: !isOwn,
    enableOnDemandInstructionDiscovery: !isOwn,
    enableFileHooks: !isOwn,
    enableSkills: !isOwn,
    // Git runs what a repository's config says.
    enableHostGitOperations: !isOwn,
    ...(isOwn ? { mcpServers: {} } : {}),
  };
}

const OF_USER = ["copilot-instructions.md", "mcp-config.json", "agents", "skills", "hooks"];

export const bringCopilotSettings = ({ env, home }: CodingTask): Promise<void> =>
  bringSettings(ofUser(env, "COPILOT_HOME", ".copilot"), OF_USER, home);

// What Copilot may do by itself: files below its folder, by their real paths. It has no sandbox for commands: a person
// decides about these, or they are denied.

/** `ask`: neither allowed nor denied by the sandbox. */
export function decide(request: CopilotRequest, task: CodingTask): "allow" | "ask" {
  const { sandbox, network } = task.permissions;
  if (sandbox === "full") return "allow";
  // As it is written, and as Copilot resolved it: neither may lead out.
  const paths = [request.resolvedPath, request.fileName ?? request.path].filter((path) => path !== undefined);
  const isInside = paths.length > 0 && paths.every((path) => leadsInto(path, task.cwd));
  switch (request.kind) {
    case "read":
      return isInside && !paths.some((path) => isReadProtected(path, task)) ? "allow" : "ask";
    case "write":
      return sandbox === "workspace" && isInside && !paths.some((path) => isGuarded(path, task)) ? "allow" : "ask";
    case "url":
      return network ? "allow" : "ask";
    case "custom-tool":
      // Segno's own: what they may do is decided where they run.
      return task.tools.some(({ name }) => name === request.toolName) ? "allow" : "ask";
    default:
      return "ask";
  }
}

export function describeRequest(request: CopilotRequest): string {
  const path = request.resolvedPath ?? request.fileName ?? request.path;
  const { diff, newFileContents: content } = request;
  switch (request.kind) {
    case "shell":
      return describeWish({
        verb: "run",
        name: request.fullCommandText ?? "",
        thing: "this command, which nothing confines",
      });
    case "write":
      return describeWish({ verb: "change", name: path ?? "a file", details: diff ? { diff } : { content } });
    case "read":
      return describeWish({ verb: "read", name: path ?? "a file" });
    case "url":
      return describeWish({ verb: "fetch", name: request.url ?? "an address" });
    default:
      return describeWish({ verb: "use", name: request.toolName ?? request.kind, details: { with: request.args } });
  }
}

/** The same request has other ids when an agent makes it again. */
export const withoutIds = ({ toolCallId: _, ...request }: CopilotRequest): Omit<CopilotRequest, "toolCallId"> =>
  request;

/** An agent without commands has nothing to write in a `.git` folder, even of a repository that it made. */
const isGuarded = (path: string, task: CodingTask): boolean =>
  isInGit(relative(realPath(task.cwd), realPath(resolve(task.cwd, path)))) ||
  isInGit(relative(task.cwd, resolve(task.cwd, path))) ||
  isReadProtected(path, task) ||
  isWriteProtected(path, task);
