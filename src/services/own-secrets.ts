// What Segno itself is told in confidence: nothing that it starts gets to know it.
import type { Surroundings } from "./request.ts";

const OWN: ReadonlySet<string> = new Set(["SEGNO_SEAL_KEY", "SEGNO_ON", "SEGNO_SERVE_TOKEN"]);

type Environment = Surroundings["env"];

/** The environment without the key that seals, the address with its password, and the token of the server. */
export const withoutOwnSecrets = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.has(name)));

/** What is handed to scripts, servers and agents: without those, and without what lets people in at the page. */
export function environmentForOthers({
  env,
  confidential = [],
}: Pick<Surroundings, "env" | "confidential">): Environment {
  const withheld = new Set(confidential);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.has(name) && !withheld.has(name)));
}
