// What each known agent does differently: its program, how it gets its model, and where it keeps settings. Every other
// agent is named by its command.
import { join } from "node:path";
import { ProviderFailure } from "../../../providers/failure.ts";
import type { CodingTask } from "../agent.ts";
import { CLAUDE_SOURCES } from "../permissions.ts";

export interface ModelAccess {
  readonly url: string;
  readonly key: string;
}

interface AgentSetup {
  readonly env: Readonly<Record<string, string>>;
  /** Files of the agent's own folder. */
  readonly files?: Readonly<Record<string, unknown>>;
}

export interface KnownAgent {
  readonly title: string;
  /** The name of its program, in `node_modules/.bin` or on the PATH. */
  readonly program: string;
  readonly install: string;
  args(task: CodingTask): readonly string[];
  /** The method of `authenticate` that takes a key. */
  readonly signIn?: string;
  /** False: not at all, or only of its last call. */
  readonly tellsUsage: boolean;
  readonly access: (task: CodingTask) => ModelAccess;
  /** Settings for a task whose model is reached at that address with that key. */
  tell(task: CodingTask, access: ModelAccess): AgentSetup;
  /** In the agent's folder: what it reads as settings, and what may run commands later. */
  readonly ownFolders: readonly string[];
  /** In the agent's folder: instructions that no setting keeps it from reading; hidden under `settings: none`. */
  readonly hiddenFiles?: readonly string[];
  /** Of `settings: user`: the folder, in the user's home and in the agent's own, and what is brought of it. */
  readonly ofUser: { readonly folder: string; readonly names: readonly string[] };
  /** By the names of its own tools: the kinds of ACP, where it says none. */
  readonly kinds?: Readonly<Record<string, string>>;
  /** For `session/new`. */
  meta?(task: CodingTask): Readonly<Record<string, unknown>>;
}

const VENDORS = {
  anthropic: { url: "https://api.anthropic.com", urlVariable: "ANTHROPIC_BASE_URL", keys: ["ANTHROPIC_API_KEY"] },
  openai: { url: "https://api.openai.com/v1", urlVariable: "OPENAI_BASE_URL", keys: ["OPENAI_API_KEY"] },
  google: {
    url: "https://generativelanguage.googleapis.com",
    urlVariable: "GOOGLE_GEMINI_BASE_URL",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
} as const;

function accessTo(name: keyof typeof VENDORS, { settings, env }: CodingTask): ModelAccess {
  const vendor = VENDORS[name];
  const key = settings.api_key || vendor.keys.map((name) => env[name]).find(Boolean);
  if (!key && !settings.base_url)
    throw new ProviderFailure(
      "unready",
      `no key: set ${vendor.keys.join(" or ")} in the environment, or give the provider an api_key. A login of the agent's program is not used`,
    );
  return { url: settings.base_url || env[vendor.urlVariable] || vendor.url, key: key || "none" };
}

/** `anthropic/claude-sonnet-4-5`: agents that have many vendors get the vendor with the model's name. */
function vendorOf({ model }: CodingTask): { readonly vendor: "anthropic" | "openai"; readonly name: string } {
  const [vendor, ...name] = model.split("/");
  if ((vendor === "anthropic" || vendor === "openai") && name.length > 0) return { vendor, name: name.join("/") };
  throw new ProviderFailure(
    "unready",
    `its model is ${JSON.stringify(model)}, which does not say whose it is: write anthropic/NAME or openai/NAME`,
  );
}

const accessToNamed = (task: CodingTask): ModelAccess => accessTo(vendorOf(task).vendor, task);

const isOwn = ({ permissions }: CodingTask): boolean => permissions.settings === "none";
const withoutV1 = (url: string): string => url.replace(/\/v1\/?$/, "");
const withV1 = (url: string): string => `${withoutV1(url).replace(/\/$/, "")}/v1`;

const gemini: KnownAgent = {
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install @google/gemini-cli",
  args: ({ model }) => ["--acp", ...(model ? ["--model", model] : [])],
  signIn: "gemini-api-key",
  tellsUsage: true,
  access: (task) => accessTo("google", task),
  tell: (task, { url, key }) => ({
    env: {
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url.replace(/\/v1beta\/?$/, ""),
      GEMINI_CLI_HOME: task.home,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(task.home, "segno-settings.json"),
      // Commands are confined by Segno's sandbox, which is around the whole program.
      GEMINI_SANDBOX: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    files: {
      "segno-settings.json": {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        ...(isOwn(task)
          ? {
              context: { fileName: ["segno-reads-none.md"] },
              skills: { enabled: false },
              hooksConfig: { enabled: false },
            }
          : {}),
      },
    },
  }),
  ownFolders: [".gemini", ".agents"],
  hiddenFiles: ["GEMINI.md"],
  ofUser: { folder: ".gemini", names: ["settings.json", "GEMINI.md", "commands", "skills"] },
};

const opencode: KnownAgent = {
  title: "opencode",
  program: "opencode",
  install: "npm install opencode-ai",
  args: () => ["acp"],
  tellsUsage: false,
  access: accessToNamed,
  tell(task, { url, key }) {
    const { vendor, name } = vendorOf(task);
    const isElsewhere = Boolean(task.settings.base_url);
    const provider = isElsewhere ? "segno" : vendor;
    const npm = `@ai-sdk/${vendor === "anthropic" ? "anthropic" : isElsewhere ? "openai-compatible" : "openai"}`;
    const options = { baseURL: withV1(url), apiKey: key };
    const config = {
      model: `${provider}/${name}`,
      small_model: `${provider}/${name}`,
      enabled_providers: [provider],
      autoupdate: false,
      share: "disabled",
      // What it may do is Segno's to say: it asks.
      permission: { edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask", doom_loop: "ask" },
      provider: { [provider]: { npm, name: provider, options, models: { [name]: { name, tool_call: true } } } },
    };
    return {
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        ...(isOwn(task)
          ? {
              OPENCODE_DISABLE_PROJECT_CONFIG: "1",
              OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
              OPENCODE_DISABLE_CLAUDE_CODE: "1",
            }
          : {}),
      },
    };
  },
  ownFolders: [".opencode"],
  ofUser: {
    folder: ".config/opencode",
    names: ["opencode.json", "opencode.jsonc", "AGENTS.md", "agent", "command", "skills"],
  },
};

const claude: KnownAgent = {
  title: "Claude's ACP adapter",
  program: "claude-agent-acp",
  install: "npm install @agentclientprotocol/claude-agent-acp",
  args: () => [],
  tellsUsage: true,
  access: (task) => accessTo("anthropic", task),
  tell: ({ home, model }, { url, key }) => ({
    env: {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: withoutV1(url),
      ...(model ? { ANTHROPIC_MODEL: model } : {}),
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      // Retries are Segno's: one layer, counted and shown.
      CLAUDE_CODE_MAX_RETRIES: "0",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      // Else the model sees Segno's tools only when it searches for them.
      ENABLE_TOOL_SEARCH: "false",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
  meta: ({ permissions }) => ({ claudeCode: { options: { settingSources: CLAUDE_SOURCES[permissions.settings] } } }),
  ownFolders: [".claude"],
  ofUser: { folder: ".claude", names: ["CLAUDE.md", "settings.json", "agents", "commands", "skills"] },
};

const goose: KnownAgent = {
  title: "goose",
  program: "goose",
  install: "npm install @aaif/goose-acp",
  args: () => ["acp"],
  tellsUsage: false,
  access: accessToNamed,
  tell(task, { url, key }) {
    const { vendor, name } = vendorOf(task);
    const place: Readonly<Record<string, string>> =
      vendor === "anthropic"
        ? { ANTHROPIC_HOST: withoutV1(url), ANTHROPIC_API_KEY: key }
        : { OPENAI_HOST: withoutV1(url), OPENAI_API_KEY: key };
    return {
      env: {
        ...place,
        GOOSE_PROVIDER: vendor,
        GOOSE_MODEL: name,
        GOOSE_MODE: "approve",
        GOOSE_DISABLE_KEYRING: "1",
        GOOSE_TELEMETRY_ENABLED: "false",
        ...(isOwn(task) ? { CONTEXT_FILE_NAMES: "[]" } : {}),
      },
    };
  },
  kinds: { write: "edit", edit: "edit", shell: "execute", tree: "read", analyze: "read", todo__todo_write: "think" },
  ownFolders: [".goose"],
  ofUser: { folder: ".config/goose", names: ["config.yaml", ".goosehints"] },
};

const KNOWN: Readonly<Record<string, KnownAgent>> = { gemini, opencode, claude, goose };

export const KNOWN_AGENTS: readonly string[] = Object.keys(KNOWN);

export const knownAgent = (name: string | undefined): KnownAgent | undefined =>
  name !== undefined && Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
