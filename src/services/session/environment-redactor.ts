// For what is shown without a run: a file's findings, its name, its drawing. A file may put `${NAME}` anywhere, so whatever is
// said about it may hold a secret of the environment.
import { keptIn } from "../../base/errors/mapping.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../../base/redact/index.ts";
import { type Result, shownEntry } from "../../base/results/index.ts";
import type { Session } from "./session.ts";

type Environment = Session["env"];

const made = new WeakMap<Environment, Redactor>();

/** Made once for an environment. It is asked for only what is shown, so it learns nothing more. */
export const environmentRedactor = (env: Environment): Pick<Redactor, "text" | "value"> =>
  keptIn(made, env, () => createRedactor({ secrets: secretsFromEnvironment(env) }));

/** A result of which nothing ran: its sentences and names without secrets, words of our own as they are. */
export function shownResult(env: Environment, result: Result): Result {
  const redactor = environmentRedactor(env);
  const shown = (text: string | null): string | null => (text === null ? null : redactor.text(text));
  return {
    ...result,
    workflow: shown(result.workflow),
    file: shown(result.file),
    error: shown(result.error),
    errors: result.errors.map((entry) => shownEntry(entry, redactor)),
    warnings: result.warnings.map((entry) => shownEntry(entry, redactor)),
  };
}

/** Names in it are its author's: only values that are known are hidden. */
export const withoutSecretsOf = <Shown>(env: Environment, shown: Shown): Shown =>
  environmentRedactor(env).value(shown, { keys: "author" }) as Shown;

// Secrets that are for Segno alone: no process that it starts gets them.

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
