// Secrets that are for Segno alone: no process that it starts gets them.
import type { Session } from "./session.ts";

type Environment = Session["env"];

const OWN: ReadonlySet<string> = new Set(["SEGNO_SEAL_KEY", "SEGNO_ON", "SEGNO_SERVE_TOKEN", "SEGNO_MCP_TOKEN"]);

/** The headers that go to a collector; other programs have them too, where the environment names their collector. */
const COLLECTOR_HEADERS = /^OTEL_EXPORTER_OTLP(_[A-Z]+)?_HEADERS$/;
const COLLECTOR_OF_OTHERS = /^OTEL_EXPORTER_OTLP(_[A-Z]+)?_ENDPOINT$/;

/** The environment without the key that seals, the address with its password, and the tokens of the servers. */
export const withoutOwnSecrets = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.has(name)));

/** For scripts, servers and agents: also without what is for the collector, and what lets people in at the page. */
export function environmentForOthers({ env, project }: Pick<Session, "env" | "project">): Environment {
  const withheld = new Set(["SEGNO_OTLP", ...(project?.confidential ?? [])]);
  const areOthersMeasured = Object.entries(env).some(([name, value]) => value && COLLECTOR_OF_OTHERS.test(name));
  const isForOthers = (name: string): boolean =>
    !OWN.has(name) && !withheld.has(name) && (areOthersMeasured || !COLLECTOR_HEADERS.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isForOthers(name)));
}
