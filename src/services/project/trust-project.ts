// `segno trust`: shows what a project would execute and send, asks, and remembers the digest of all of it.

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { REDACTED, secretsFromAddress } from "../../base/redact/index.ts";
import { findingEntries, type Head, head } from "../../base/results/index.ts";
import type { Finding } from "../../language/loaded.ts";
import { writtenDuration } from "../../steps/schema/readings.ts";
import { invalidWorkflow, orRefused, refusal } from "../refusals.ts";
import type { Retention } from "../runs/prune.ts";
import { environmentRedactor } from "../session/exit.ts";
import { shownPath } from "../session/files.ts";
import { findProjectFile, PROJECT_FILE, whyNotOurs } from "../session/find-project.ts";
import { peopleWithTokens } from "../session/people.ts";
import { programName } from "../session/program-name.ts";
import type { Session } from "../session/session.ts";
import type { CoveredPackage } from "./named-plugins.ts";
import { databasesOf, type Project, readProject } from "./read-project.ts";
import { isTrusted, revoke, type TrustedProject, trust, trustedProjects } from "./trust.ts";

/** What a project does once it is trusted, in the words that a person decides by. */
export interface ProjectActs {
  readonly file: string;
  readonly digest: string;
  /** Code that is executed by every command. */
  readonly plugins: readonly string[];
  /** Workflows that are code, executed by the commands that are about them. */
  readonly code: readonly string[];
  /** Further files that these take in. */
  readonly imports: readonly string[];
  /** The SHA-256 of each of these files, in hex. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Packages of the project that they take in, and what those depend on. */
  readonly packages: readonly CoveredPackage[];
  readonly triggers: readonly { readonly name: string; readonly fires: string; readonly workflow: string }[];
  /** Who may sign in at the page of `segno serve`, and act there in their name. */
  readonly people: readonly string[];
  /** Where its runs are kept, those included that came with a clone: a server drives them on when their gates time out. */
  readonly home: string | null;
  /** Where something is sent. */
  readonly sends: readonly string[];
  /** Which old runs servers and workers remove. */
  readonly removes: readonly string[];
}

export interface TrustAnswer extends Head {
  readonly file: string | null;
  readonly trusted: boolean;
  readonly acts?: ProjectActs;
}

export interface TrustRequest {
  /** What is wrong with the triggers: a project can be trusted all the same, and the answer reports it. */
  readonly check?: (project: Project, where: Session) => Iterable<Finding>;
  readonly yes?: boolean;
  /** Asks a person; absent where no one can be asked. */
  readonly confirm?: (acts: ProjectActs) => Promise<boolean>;
}

export const trustProject = (session: Session, request: TrustRequest): Promise<TrustAnswer> =>
  orRefused(session, { file: null, trusted: false }, () => decide(session, request));

async function decide(session: Session, request: TrustRequest): Promise<TrustAnswer> {
  const project = projectHere(session);
  if (project.untrustable !== undefined) throw refusal(`${project.file} cannot be trusted: ${project.untrustable}`);
  // A person is shown it before this answers.
  const acts = environmentRedactor(session.env).answer(actsOf(project), { keys: "author" });
  // What workflows take from plugins is not known before these may be loaded.
  const found = project.plugins.length === 0 ? [...(request.check?.(project, session) ?? [])] : [];
  const { errors, warnings } = findingEntries(found, { path: (path) => shownPath(path, session.cwd) });
  const answer = { ...head(0, [], [...errors, ...warnings]), file: project.file, acts };
  const needsNone = project.acting.length === 0 && project.settings.home === undefined;
  if (needsNone || isTrusted(project, session)) return { ...answer, trusted: true };
  const agreed = request.yes || (await request.confirm?.(acts));
  if (agreed) trust(project, session);
  else if (!request.confirm) {
    const { result } = refusal(`${project.file} is not trusted: no one can be asked here`, {
      hint: `If you agree to what it would do, say so: ${programName(session.env)} trust --yes.`,
    });
    return { ...result, file: project.file, trusted: false, acts };
  }
  return { ...answer, trusted: agreed === true };
}

export const revokeTrust = (session: Session): Promise<TrustAnswer> =>
  orRefused(session, { file: null, trusted: false }, () => {
    const file = fileHere(session);
    if (!revoke(file, session)) throw refusal(`${file} is not trusted, so there is nothing to take back`);
    return { ...head(0), file, trusted: false };
  });

export const listTrusted = (session: Session): Head & { readonly projects: readonly TrustedProject[] } => ({
  ...head(0),
  projects: trustedProjects(session),
});

function fileHere({ cwd, env }: Session): string {
  const file = findProjectFile(cwd);
  if (file === undefined)
    throw refusal(`there is no ${PROJECT_FILE} here or above, up to the repository`, {
      hint: `${programName(env)} init --project writes one.`,
    });
  return file;
}

/** `needsNoPlugin`: also one whose plugins are not there. */
export function projectHere(
  session: Session,
  { needsNoPlugin = false }: { readonly needsNoPlugin?: boolean } = {},
): Project {
  const file = fileHere(session);
  const notOurs = whyNotOurs(file);
  if (notOurs !== undefined)
    throw refusal(`${file} ${notOurs}, and only a file of your own, in a folder of your own, can be trusted`);
  const { project, findings } = readProject(file, session.env);
  if (!project || (project.lacksPlugin && !needsNoPlugin)) throw invalidWorkflow(findings, file, session.cwd);
  return project;
}

function actsOf(project: Project): ProjectActs {
  const { file, dir, digest, plugins, code, covered, packages, triggers, settings, written } = project;
  const names = plugins.map((plugin) => relative(dir, plugin.file));
  const codeNames = code.map(({ name }) => name);
  const { telemetry, retention = {} } = settings;
  const said = new Set([relative(dir, file), ...names, ...codeNames]);
  const top = realpathSync(dir);
  const files = [...covered.keys()].map((one) => relative(top, one)).sort();
  const imports = files.filter(
    (one) => !said.has(one) && !one.endsWith(".yaml") && !one.split(sep).includes("node_modules"),
  );
  return {
    file,
    digest,
    plugins: names,
    code: codeNames,
    imports,
    hashes: Object.fromEntries(
      [...names, ...codeNames, ...imports].flatMap((one) => {
        const bytes = covered.get(realpathSync(resolve(dir, one)));
        return bytes ? [[one, createHash("sha256").update(bytes).digest("hex")]] : [];
      }),
    ),
    packages,
    triggers: triggers.map((trigger) => ({ name: trigger.name, fires: firesAt(trigger), workflow: trigger.workflow })),
    people: peopleWithTokens(settings.people),
    home: settings.home ?? null,
    sends: [
      ...databasesOf(settings).map(
        ({ name, url }) => `runs to ${name === "" ? "" : `the cell ${name}, `}${shownAddress(url, written.on?.(name))}`,
      ),
      ...(telemetry.otlp ? [`spans and metrics to ${shownAddress(telemetry.otlp, written.otlp)}`] : []),
    ],
    removes: removesOf(retention),
  };
}

function removesOf({ older_than, keep, resumable }: Retention): readonly string[] {
  const but = keep === undefined ? "" : `, but for the newest ${keep} of each workflow`;
  const age = (seconds: number): string => `older than ${writtenDuration(seconds)}`;
  return [
    ...(older_than === undefined ? [] : [`runs ${age(older_than)}${but}`]),
    ...(older_than === undefined && keep !== undefined ? [`runs${but.replace(", but for", " but")}`] : []),
    ...(resumable === undefined ? [] : [`runs that could be resumed, ${age(resumable)}${but}`]),
  ];
}

/** As it is written, so that nothing is shown that the environment gave; but the host, by which a person decides. */
function shownAddress(address: string, written = address): string {
  const shown = withoutItsSecrets(written);
  if (!written.includes("$")) return shown;
  const host = URL.canParse(address) ? new URL(address).host : "";
  return host === "" || written.includes(host) ? shown : `${shown} (now ${host})`;
}

/** A variable says nothing; a password that stands in the file itself does. */
function withoutItsSecrets(written: string): string {
  const secrets = secretsFromAddress(written).filter((secret) => !secret.includes("$"));
  return secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), written);
}

export function firesAt({ schedule, timezone, webhook, on_run }: Project["triggers"][number]): string {
  if (schedule !== undefined) return `at ${schedule} (${timezone})`;
  if (webhook) return `when ${webhook.path} is called (${webhook.verify})`;
  const { workflow = "", status, kind } = on_run ?? {};
  const how = [...(status ? [status.join(" or ")] : []), ...(kind ? [`with ${kind.join(" or ")}`] : [])];
  return `after runs of ${workflow}${how.length > 0 ? ` that end ${how.join(" ")}` : ""}`;
}
