// The files in which programs keep a user's keys, tokens, logins, shell settings and histories. An agent's commands
// must not read them, since what they read can reach a model or a log. One list for every agent.
import { realpathSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isIn } from "../../base/real-path.ts";

const IN_HOME = [
  // Keys
  ".ssh",
  ".gnupg",
  ".age",
  ".config/age",
  ".config/sops",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  "Library/Keychains",
  // Clouds and clusters
  ".aws",
  ".azure",
  ".boto",
  ".config/doctl",
  ".config/gcloud",
  ".config/heroku",
  ".fly/config.yml",
  ".kube",
  ".oci",
  ".s3cfg",
  ".terraform.d/credentials.tfrc.json",
  ".terraformrc",
  ".vault-token",
  // Repositories of code and of packages
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".config/gh",
  ".config/git/credentials",
  ".config/glab-cli",
  ".config/hub",
  ".docker",
  ".config/containers",
  ".gem/credentials",
  ".git-credentials",
  ".gradle/gradle.properties",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".nuget/NuGet",
  ".pypirc",
  ".config/pypoetry/auth.toml",
  ".yarnrc.yml",
  // Databases
  ".my.cnf",
  ".mylogin.cnf",
  ".pgpass",
  // Other agents: logins, sessions, and settings with keys of their servers
  ".aider.conf.yml",
  ".claude",
  ".claude.json",
  ".codeium",
  ".codex",
  ".config/amp",
  ".config/github-copilot",
  ".config/goose",
  ".config/opencode",
  ".continue",
  ".copilot",
  ".cursor",
  ".factory",
  ".gemini",
  ".local/share/amp",
  ".local/share/goose",
  ".local/share/opencode",
  ".qwen",
  // Browsers
  ".config/chromium",
  ".config/google-chrome",
  ".mozilla",
  "Library/Application Support/Firefox",
  "Library/Application Support/Google/Chrome",
  "Library/Cookies",
  // What shells read when they start: people export their keys there, and an agent's commands run in such a shell
  ".bash_aliases",
  ".bash_login",
  ".bash_logout",
  ".bash_profile",
  ".bashrc",
  ".config/environment.d",
  ".config/fish",
  ".config/nushell",
  ".config/powershell",
  ".config/zsh",
  ".cshrc",
  ".kshrc",
  ".login",
  ".pam_environment",
  ".profile",
  ".tcshrc",
  ".xonshrc",
  ".zlogin",
  ".zprofile",
  ".zshenv",
  ".zshrc",
  "Library/Application Support/nushell",
  // What was typed
  ".bash_history",
  ".bash_sessions",
  ".history",
  ".local/share/fish",
  ".local/share/powershell",
  ".local/share/xonsh",
  ".mysql_history",
  ".node_repl_history",
  ".psql_history",
  ".python_history",
  ".rediscli_history",
  ".sqlite_history",
  ".zsh_history",
  ".zsh_sessions",
];

/** Where a variable moves them to. */
const MOVED = [
  ["XDG_CONFIG_HOME", ".config/"],
  ["XDG_DATA_HOME", ".local/share/"],
] as const;

/** Variables that say where such a file is instead. */
const NAMED_BY = [
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AZURE_CONFIG_DIR",
  "BASH_ENV",
  "CLAUDE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "CODEX_HOME",
  "COPILOT_HOME",
  "DOCKER_CONFIG",
  "ENV",
  "GNUPGHOME",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HISTFILE",
  "KUBECONFIG",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "PGPASSFILE",
  "ZDOTDIR",
];

/** Those that are there, by their real paths. One that an agent was given as its folder, or to work in, it may read. */
export function privateFiles(env: Readonly<Record<string, string | undefined>>, cwd: string): string[] {
  const home = env.HOME || homedir();
  const named = NAMED_BY.flatMap((name) => (env[name] ?? "").split(name === "KUBECONFIG" ? delimiter : "\n"));
  const moved = MOVED.flatMap(([name, folder]) =>
    IN_HOME.filter((path) => path.startsWith(folder)).map((path) => join(env[name] ?? "", path.slice(folder.length))),
  );
  const paths = [
    ...IN_HOME.map((path) => join(home, path)),
    ...[...named, ...moved].filter((path) => isAbsolute(path)),
  ];
  const needed = [cwd, realOf(home) ?? home, realOf(tmpdir()) ?? tmpdir()];
  const real = new Set(paths.flatMap((path) => realOf(path) ?? []));
  return [...real].filter((path) => !needed.some((one) => isIn(one, path)));
}

/** Not of devices: /dev/null is how people say that there is none. */
function realOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() || stats?.isDirectory() ? realpathSync(path) : undefined;
}

/** Without those that are in another: nothing can be mounted inside of what cannot be entered. */
export const outermost = (paths: readonly string[]): string[] =>
  paths.filter(
    (path, index) => paths.indexOf(path) === index && !paths.some((other) => other !== path && isIn(path, other)),
  );
