// What an agent gets of the environment: what programs need to find their way, and what the agent itself needs to reach
// its model. Everything else, and with it every other secret, stays with Segno.
type Environment = Readonly<Record<string, string | undefined>>;

const EVERYBODY = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TMPDIR",
  "TMP",
  "TEMP",
  "TZ",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
] as const;

const isPassed = (name: string): boolean => name.startsWith("LC_") || (EVERYBODY as readonly string[]).includes(name);

/** `own` are the names of variables that this agent needs besides; nothing without a value gets in. */
export function agentEnvironment(env: Environment, own: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (isPassed(name) || own.includes(name))) kept[name] = value;
  return kept;
}
