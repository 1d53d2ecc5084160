// What Segno itself is told in confidence: nothing that it starts gets to know it.

const OWN: ReadonlySet<string> = new Set(["SEGNO_SEAL_KEY", "SEGNO_ON", "SEGNO_SERVE_TOKEN"]);

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment without the key that seals, the address with its password, and the token of the server. */
export const withoutOwnSecrets = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.has(name)));
