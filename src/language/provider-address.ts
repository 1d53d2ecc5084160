// A key of the environment goes to the address it belongs to. If a file names another one, it is refused, since whoever
// wrote the file would get the key of whoever runs it.
import { isMapping } from "../base/errors/mapping.ts";
import { type Environment, environmentNames, expand, type VariableStyle } from "./environment.ts";
import type { NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";

interface AmbientKey {
  readonly variable: string;
  /** The settings of a file that are used in its place. */
  readonly instead: readonly string[];
  /** The variable with which the user names another address for it. */
  readonly address: string;
  /** The setting with which a file does. */
  readonly setting: "base_url" | "runtime_url";
  /** The hosts that it belongs to; one that begins with a dot stands for all below it. */
  readonly hosts: readonly string[];
}

const AZURE = [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];

const key = (
  variable: string,
  instead: readonly string[],
  address: string,
  hosts: readonly string[],
  setting: AmbientKey["setting"] = "base_url",
): AmbientKey => ({ variable, instead, address, hosts, setting });

const openai = (...instead: string[]): readonly AmbientKey[] => [
  key("OPENAI_API_KEY", instead, "OPENAI_BASE_URL", ["api.openai.com", ".api.openai.com", ...AZURE]),
];

const anthropic = (...instead: string[]): readonly AmbientKey[] =>
  ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].map((variable) =>
    key(variable, instead, "ANTHROPIC_BASE_URL", ["api.anthropic.com"]),
  );

const google: readonly AmbientKey[] = ["GEMINI_API_KEY", "GOOGLE_API_KEY"].map((variable) =>
  key(variable, ["api_key"], "GOOGLE_GEMINI_BASE_URL", ["generativelanguage.googleapis.com"]),
);

const KEYS: Readonly<Record<string, readonly AmbientKey[]>> = {
  openai: [
    ...openai("api_key", "bearer_token"),
    key("AZURE_OPENAI_API_KEY", ["api_key", "bearer_token"], "OPENAI_BASE_URL", AZURE),
  ],
  anthropic: anthropic("api_key", "auth_token"),
  "claude-agent-sdk": anthropic("api_key", "auth_token"),
  codex: openai("api_key"),
  copilot: [
    key("COPILOT_PROVIDER_API_KEY", ["api_key"], "COPILOT_PROVIDER_BASE_URL", []),
    key("COPILOT_PROVIDER_BEARER_TOKEN", ["bearer_token"], "COPILOT_PROVIDER_BASE_URL", []),
    key("COPILOT_PROVIDER_RUNTIME_TOKEN", ["runtime_token"], "COPILOT_PROVIDER_RUNTIME_URL", [], "runtime_url"),
  ],
  acp: [...anthropic("api_key"), ...openai("api_key"), ...google],
};

/** Those of its keys that an agent of `provider: acp` is given, where that is one vendor's. */
const ACP_KEYS: Readonly<Record<string, readonly AmbientKey[]>> = { gemini: google, claude: anthropic("api_key") };

/** The variable with which the user lets keys go to other hosts. */
const ALLOWED = "SEGNO_ALLOW_KEY_TO";

/** `written`: the address as the file has it, variables unresolved. */
export function reportKeyAtOtherAddress(
  provider: unknown,
  written: unknown,
  path: NodePath,
  env: Environment,
  page: Page,
  node?: string,
): void {
  if (!isMapping(provider)) return;
  for (const one of keysOf(provider)) {
    const address = provider[one.setting];
    if (!env[one.variable] || one.instead.some((field) => provider[field]) || typeof address !== "string") continue;
    const host = hostOf(address);
    const raw = isMapping(written) ? written[one.setting] : undefined;
    if (host === undefined || isAllowed(host, one, env)) continue;
    if (typeof raw === "string" && isOfTheUser(raw, host, env, page.semantics.variables)) continue;
    page.report(
      "key-at-other-address",
      [...path, one.setting],
      `\`${one.variable}\` of the environment would be sent to \`${host.name}\`, which this file names${homeOf(one)}. If the key may go there, say so in the file (\`${one.instead[0]}: \${${one.variable}}\`) or in the environment (\`${ALLOWED}=${host.name}\`). If the server needs no key, write \`${one.instead[0]}: none\`.`,
      { node },
    );
    return;
  }
}

function keysOf({ name, agent, type }: Readonly<Record<string, unknown>>): readonly AmbientKey[] {
  const provider = name === undefined ? "copilot" : name === "claude" ? "anthropic" : String(name);
  if (provider === "acp" && Object.hasOwn(ACP_KEYS, String(agent))) return ACP_KEYS[String(agent)] ?? [];
  const keys = Object.hasOwn(KEYS, provider) ? (KEYS[provider] ?? []) : [];
  return keys.filter(({ variable }) => variable !== "AZURE_OPENAI_API_KEY" || type === "azure");
}

const homeOf = ({ hosts }: AmbientKey): string =>
  hosts.length === 0 ? "" : `. It belongs to ${hosts.map((host) => `\`${host.replace(/^\./, "*.")}\``).join(", ")}`;

interface Host {
  /** With its port, where the address has one. */
  readonly name: string;
  readonly withoutPort: string;
}

function hostOf(address: string): Host | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, hostname } = new URL(address);
  return host === "" ? undefined : { name: host, withoutPort: hostname };
}

function isAllowed(host: Host, { hosts, address }: AmbientKey, env: Environment): boolean {
  const own = hosts.some((one) => (one.startsWith(".") ? host.withoutPort.endsWith(one) : host.name === one));
  const users = env[address] ? hostOf(env[address])?.name : undefined;
  const allowed = (env[ALLOWED] ?? "").split(",").map((one) => one.trim().toLowerCase());
  return own || users === host.name || allowed.includes(host.name) || allowed.includes(host.withoutPort);
}

/** Stands for what variables of the user say. */
const VARIABLE = "\uE0F2";
const HOST_OF_VARIABLE = new RegExp(`^(?:[a-z][a-z+.-]*://)?${VARIABLE}(?:$|[/?#]|:(?:\\d|${VARIABLE}))`, "i");

/** Whether the host is what a variable says that the user exported; the default of a variable is the file's word. */
function isOfTheUser(raw: string, { withoutPort }: Host, env: Environment, style: VariableStyle): boolean {
  const names = environmentNames(raw, style).filter((name) => env[name]);
  const marked = Object.fromEntries(names.map((name) => [name, VARIABLE]));
  const says = names.some((name) => (env[name] ?? "").toLowerCase().includes(withoutPort));
  return says && HOST_OF_VARIABLE.test(expand(raw, marked, { style }).text);
}
