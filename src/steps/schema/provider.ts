// What agents call: a model provider (a name, or a mapping with its settings), and MCP servers by name.
import * as z from "zod";
import { secrets } from "./execution.ts";
import { environment, listOf, text } from "./fields.ts";
import { described, missingKey, once, READINGS } from "./readings.ts";

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export const effort = z.enum(EFFORTS);

const copilotOnly = "Segno leaves this to the Copilot SDK's own settings";
const hermesOnly = "it belongs to the hermes provider, which Segno does not have";
const acaOnly = "it belongs to the aca provider, which Segno does not have";

const foreign = (description: string, unsupported: string) =>
  described(z.unknown().optional(), description, { unsupported });

const settings = once(() =>
  z.looseObject({
    name: described(
      z.string().default("copilot"),
      "`openai` (and anything that speaks its protocol) or `anthropic` (`claude` is a synonym) call a model; `claude-agent-sdk`, `codex`, `copilot` and `acp` (any agent that speaks the Agent Client Protocol) are agents that read and edit files and run commands.",
      { examples: ["anthropic"] },
    ),
    base_url: described(z.string().optional(), "Another address than the provider's own.", {
      examples: ["http://localhost:11434/v1"],
    }),
    api_key: described(z.string().optional(), "The key, from the environment.", { examples: ["${OPENAI_API_KEY}"] }),
    auth_token: described(z.string().optional(), "For anthropic: a bearer token instead of a key."),
    bearer_token: described(z.string().optional(), "A bearer token instead of a key."),
    headers: described(z.record(z.string(), z.string()).optional(), "Headers to send with each call."),
    type: described(z.string().optional(), "For copilot: the protocol behind `base_url`: openai, azure or anthropic."),
    wire_api: described(z.string().optional(), "Which of OpenAI's interfaces to speak: completions or responses."),
    azure: described(z.looseObject({ api_version: z.string().optional() }).optional(), "Azure's API version."),
    sandbox: described(sandboxName.optional(), SANDBOX_MEANS),
    agent: described(z.string().optional(), "For acp: the agent, by name: gemini, opencode, claude or goose.", {
      examples: ["gemini"],
    }),
    command: described(
      z.string().optional(),
      "For acp: the agent's program: a name in node_modules/.bin or on the PATH, or a path from this folder.",
    ),
    args: described(z.array(z.string()).optional(), "For acp: arguments of the agent's program."),
    env: described(
      z.record(z.string(), z.string()).optional(),
      "For acp: variables that the agent's program gets besides those that every program needs.",
      { examples: [{ MISTRAL_API_KEY: "${MISTRAL_API_KEY}" }] },
    ),
    price: described(
      z.number().nonnegative().optional(),
      "For acp: what one call of the agent counts against a budget, in dollars, whatever it says it used.",
    ),
    ...permissions,
    auth_mode: described(
      z.enum(["auto", "subscription", "api_key"]).optional(),
      "For claude-agent-sdk: who pays. `api_key`: only a key counts. `auto`, the default: a key, a gateway's token or a cloud. `subscription` is refused when an agent runs: Segno does not use the login of Claude's program.",
    ),
    native_tools: described(
      z.enum(["none", "claude_code"]).optional(),
      "For claude-agent-sdk: `none` takes the agent's own tools from every agent without `tools`. All of them when left out, within the sandbox.",
    ),
    setting_sources: described(
      z.array(z.enum(["user", "project", "local"])).optional(),
      "For claude-agent-sdk: whose settings agents read, as Claude calls them. `settings` where it is written wins; an agent with `skills: []` reads none.",
      { examples: [["project"]] },
    ),
    runtime_url: foreign("The address of a running Copilot runtime.", copilotOnly),
    runtime_token: foreign("The token of a running Copilot runtime.", copilotOnly),
    hermes_home: foreign("Hermes' folder.", hermesOnly),
    hermes_toolsets: foreign("Hermes' toolsets.", hermesOnly),
    hermes_skip_memory: foreign("Hermes without memory.", hermesOnly),
    hermes_skip_context_files: foreign("Hermes without context files.", hermesOnly),
    pool_endpoint: foreign("The pool of sandboxes.", acaOnly),
    api_version: foreign("The pool's API version.", acaOnly),
    inner_provider: foreign("The provider inside the sandbox.", acaOnly),
    identifier_scope: foreign("What shares a sandbox.", acaOnly),
    egress: foreign("Whether the sandbox may reach the network.", acaOnly),
    lifecycle: foreign("How long the sandbox lives.", acaOnly),
    auth: foreign("How to sign in to the pool.", acaOnly),
  }),
);

export type ProviderFields = z.output<ReturnType<typeof settings>>;

export const provider = once(() =>
  z
    .union([z.string(), settings()])
    .transform(READINGS.provider<ProviderFields>)
    .meta({
      id: "Provider",
      description:
        "The model provider: a name, or a mapping with its settings. Whether it is installed and has a key is asked when an agent first runs.",
      expects: "a provider's name, or a mapping with `name`",
      examples: ["anthropic", { name: "openai", base_url: "http://localhost:11434/v1" }],
    }),
);

// What an agent that works in a folder may do. The same keys on a provider, for all of its agents, and on a step.

export const sandboxName = z.enum(["read-only", "workspace", "full"]);

export const permissions = {
  allow: described(
    z.array(z.string()).optional(),
    "For agents that work in a folder: what they may do beyond their sandbox, in the agent's own words. Commands need a sandbox of the operating system around them, or `sandbox: full`.",
    { examples: [["Bash(npm test:*)"]] },
  ),
  ask: described(
    z.enum(["deny", "gate"]).optional(),
    "For agents that work in a folder: what happens to a request that the sandbox does not allow. `deny` (the default) refuses it; `gate` asks a person.",
  ),
  network: described(
    z.boolean().optional(),
    "For agents that work in a folder: whether their commands may use the network. They may not by default.",
  ),
  settings: described(
    z.enum(["none", "project", "user"]).optional(),
    "For agents that work in a folder: whose hooks, MCP servers and instructions they read. `none` by default; `project` the folder's; `user` also the user's.",
  ),
} as const;

export const SANDBOX_MEANS =
  "For agents that work in a folder (claude-agent-sdk, codex, copilot, acp). `read-only`: they change nothing. `workspace`, the default: they change files below their working directory, and commands run only inside a sandbox of the operating system. `full`: no limits.";

const mcpServer = once(() =>
  z
    .looseObject({
      type: described(z.enum(["stdio", "http", "sse"]).default("stdio"), "How to reach the server."),
      command: described(z.string().optional(), "For stdio: the program to start.", { examples: ["npx"] }),
      args: described(listOf(text()), "Its arguments."),
      env: described(environment().default({}), "Environment variables to add."),
      url: described(z.string().optional(), "For http and sse: the address."),
      headers: described(environment().default({}), "Headers to send."),
      timeout: described(z.number().positive().optional(), "Milliseconds that a call may take."),
      tools: described(z.array(z.string()).default(["*"]), "Which of its tools agents may use."),
      secrets: described(
        z.lazy(secrets).optional(),
        "Secrets by name: the environment variable `ref` is given as `delivery.env`, or for http and sse sent as `delivery.header`.",
      ),
      working_dir: described(
        z.string().optional(),
        "For stdio: the folder to start it in, relative to this file; this file's folder when left out.",
      ),
    })
    .superRefine((server, context) => {
      const needed = server.type === "stdio" ? "command" : "url";
      if (server[needed] === undefined)
        context.addIssue(missingKey(needed, `an MCP server of type ${server.type} needs \`${needed}\`.`));
    })
    .meta({ expects: "a mapping with `command` or `url`" }),
);

export const mcpServers = () => z.record(z.string(), z.lazy(mcpServer));

export type McpServer = z.output<ReturnType<typeof mcpServer>>;
