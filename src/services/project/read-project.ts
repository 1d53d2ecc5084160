// `segno.yaml` as data: what it says, what of it acts, and the digest of all that acts, which is what is trusted.

import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { type CellAddress, joinedCells } from "../../base/redact/postgres-address.ts";
import type { Trigger } from "../../features/triggers/schema.ts";
import { environmentNames } from "../../language/environment.ts";
import { type ForeignFile, readForeignFile } from "../../language/foreign-file.ts";
import type { Finding, LoadWorld, Location, NodePath } from "../../language/loaded.ts";
import { exposure } from "../session/find-project.ts";
import { isBelow, readRegularFile } from "../session/path-inside.ts";
import { peopleWithTokens } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import {
  type Covered,
  type CoveredPackage,
  codeWorkflows,
  coverPlugins,
  MOST_FILES,
  type NamedPlugin,
  namedPlugins,
} from "./named-plugins.ts";
import { checkPeople, type ProjectSettings, projectFinding, projectSchema, triggersFileSchema } from "./schema.ts";

export interface PlacedTrigger extends Trigger {
  /** Where something of it stands, for findings about that: `["webhook", "secret"]`, and `[]` for all of it. */
  readonly placeOf: (path: NodePath) => Location;
  /** What stands there, its `${NAME}` in place. */
  readonly written: (path: NodePath) => string | undefined;
}

export interface Project {
  /** Absolute. */
  readonly file: string;
  readonly dir: string;
  readonly settings: ProjectSettings;
  /** Addresses as the file has them, their `${NAME}` in place: what the environment gives may be a secret. */
  readonly written: { readonly on?: (database: string) => string | undefined; readonly otlp?: string };
  readonly triggers: readonly PlacedTrigger[];
  /** Modules to load, absolute, as they are written. */
  readonly plugins: readonly NamedPlugin[];
  /** Workflows that are code, loaded when they are asked for. */
  readonly code: readonly NamedPlugin[];
  /** Settings that execute, send or remove something or grant access, and so need trust: `plugins`, `triggers`, … */
  readonly acting: readonly string[];
  /** Variables of the environment from which it takes a token or a secret. */
  readonly confidential: readonly string[];
  /** Every file that the digest covers, by its real path, as it was read. */
  readonly covered: ReadonlyMap<string, Buffer>;
  /** Packages among them. */
  readonly packages: readonly CoveredPackage[];
  /** Why it cannot be trusted by any user; absent when it can. */
  readonly untrustable?: string;
  /** One of its plugins is not there, or cannot be read; `untrustable` says so, too. */
  readonly lacksPlugin: boolean;
  readonly digest: string;
}

export interface ReadProject {
  /** Absent when something is wrong; there all the same when that is only a plugin, which not every command needs. */
  readonly project?: Project;
  readonly findings: readonly Finding[];
}

/** `over`: the text of files as an editor has them. What is trusted and acted by is always read from disk. */
export function readProject(file: string, env: Session["env"], over?: LoadWorld): ReadProject {
  const dir = dirname(file);
  const covered: Covered = { files: new Map(), packages: new Map(), size: 0, isTooMuch: false };
  const main = readYaml(projectSchema, file, "a project", env, covered.files, over);
  const findings = [...main.findings];
  const { value: settings, at } = main;
  if (!settings || !at) return { findings };
  const plugins = namedPlugins(settings.plugins, dir, (index) => at(["plugins", index]));
  const code = codeWorkflows(settings.workflows, dir, (index) => at(["workflows", index]));
  const triggers: PlacedTrigger[] = [];
  const confidential = confidentialInPeople(settings, (path) => main.written?.(path));
  const placed = (read: readonly Trigger[], file: ForeignFile<unknown>): void => {
    confidential.push(...confidentialInTriggers(read, (path) => file.written?.(path)));
    for (const [index, trigger] of read.entries()) {
      const placeOf = (path: NodePath): Location => file.at?.(["triggers", index, ...path]) ?? at([]);
      const written = (path: NodePath): string | undefined => file.written?.(["triggers", index, ...path]);
      triggers.push({ ...trigger, placeOf, written });
      // A variable that is not set is only a warning: where it is set, the same file is right.
      const secret = written(["webhook", "secret"]);
      if (trigger.webhook?.secret !== "" || secret?.includes("$")) continue;
      const message = `The trigger \`${trigger.name}\`: its secret is empty, and an empty one verifies nothing. Take it from the environment: \`secret: \${HOOK_SECRET}\`.`;
      findings.push(projectFinding("empty-secret", message, placeOf(["webhook", "secret"])));
    }
  };
  if (typeof settings.triggers === "string") {
    const path = resolve(dir, settings.triggers);
    if (!existsSync(path) || !isBelow(path, dir)) {
      const message = `There is no file \`${settings.triggers}\` below this file's folder.`;
      findings.push(projectFinding("missing-file", message, at(["triggers"])));
    } else {
      const own = readYaml(triggersFileSchema, path, "a file of triggers", env, covered.files, over);
      findings.push(...own.findings);
      placed(own.value?.triggers ?? [], own);
    }
  } else placed(settings.triggers ?? [], main);
  findings.push(...sameNames(triggers), ...checkPeople(settings, at));
  const brokenPlugins = coverPlugins([...plugins, ...code], dir, covered);
  const [broken] = brokenPlugins;
  const isWrong = findings.some(({ severity }) => severity === "error");
  findings.push(...brokenPlugins);
  if (isWrong) return { findings };

  const acting = [
    ...(plugins.length > 0 ? ["plugins"] : []),
    ...(code.length > 0 ? ["workflows that are code"] : []),
    ...(triggers.length > 0 ? ["triggers"] : []),
    ...(settings.on ? ["on"] : []),
    ...(settings.telemetry.otlp ? ["telemetry"] : []),
    ...(peopleWithTokens(settings.people).length > 0 ? ["tokens of people"] : []),
    ...(settings.retention ? ["retention"] : []),
  ];
  const isTrustNeeded = acting.length > 0 || settings.home !== undefined;
  const untrustable = broken ? inSentence(broken.message) : isTrustNeeded ? whyUntrustable(covered, dir) : undefined;
  return {
    findings,
    project: {
      file,
      dir,
      settings,
      written: {
        on: (name) => main.written?.(pathOfDatabase(settings, name)),
        otlp: main.written?.(["telemetry", "otlp"]),
      },
      triggers,
      plugins,
      code,
      acting,
      confidential: withThoseInside(confidential, env),
      covered: covered.files,
      packages: [...covered.packages.values()],
      ...(untrustable === undefined ? {} : { untrustable }),
      lacksPlugin: broken !== undefined,
      digest: digestOf(covered.files, realpathSync(dir)),
    },
  };
}

/** Goes on after a colon, and ends where the sentence around it does. */
const inSentence = (message: string): string =>
  `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`.replace(/\.$/, "");

function readYaml<Schema extends Parameters<typeof readForeignFile>[0]>(
  schema: Schema,
  path: string,
  kind: string,
  env: Session["env"],
  files: Covered["files"],
  over?: LoadWorld,
) {
  let bytes: Buffer;
  try {
    bytes = over ? Buffer.from(over.read(path)) : readRegularFile(path, { noLink: true });
  } catch (problem) {
    const { code, message: said } = problem as NodeJS.ErrnoException;
    const message = `\`${path}\` cannot be read: ${code === "ELOOP" ? "it is a link, and a project's files are none" : said}.`;
    return { findings: [projectFinding("unreadable-file", message, { file: path, line: 1, column: 1 })] };
  }
  if (!over) files.set(realpathSync(path), bytes);
  return readForeignFile<Schema>(schema, { path, text: bytes.toString("utf8"), kind, env });
}

/** Names and contents both: a file that is moved to another's place is another project. */
function digestOf(files: Covered["files"], dir: string): string {
  const hash = createHash("sha256");
  for (const [file, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([relative(dir, file), createHash("sha256").update(bytes).digest("hex")]));
  return hash.digest("hex");
}

function whyUntrustable({ files, isTooMuch }: Covered, dir: string): string | undefined {
  if (isTooMuch)
    return `its plugins take in more than ${MOST_FILES} files or 64 MiB, which every command would have to read. Bundle them into one`;
  const top = realpathSync(dir);
  for (const file of files.keys()) {
    const why = exposure(file, top);
    if (why !== undefined) return `${why}, and only what is yours alone can be trusted`;
  }
  return undefined;
}

function* sameNames(triggers: readonly PlacedTrigger[]): Iterable<Finding> {
  for (const [what, key, at] of [
    ["name", (one: PlacedTrigger) => one.name, ["name"]],
    ["path", (one: PlacedTrigger) => one.webhook?.path, ["webhook", "path"]],
  ] as const) {
    const seen = new Set<string>();
    for (const trigger of triggers) {
      const said = key(trigger);
      if (said === undefined) continue;
      const message = `There are two triggers with the ${what} \`${said}\`. Give each its own.`;
      if (seen.has(said)) yield projectFinding("duplicate-name", message, trigger.placeOf(at));
      seen.add(said);
    }
  }
}

// The variables from which a project takes what grants access: tokens of people, secrets of webhooks. With such a token
// one can answer gates in that person's name, so nothing that a run starts gets them.

type Written = (path: NodePath) => string | undefined;

/** `written` gives a value as the file has it, its `${NAME}` in place. */
const confidentialInPeople = ({ people }: Pick<ProjectSettings, "people">, written: Written): string[] =>
  Object.keys(people).flatMap((name) =>
    environmentNames([written(["people", name, "token"]), written(["people", name, "token_sha256"])]),
  );

const confidentialInTriggers = (triggers: readonly unknown[], written: Written): string[] =>
  environmentNames(triggers.map((_, index) => written(["triggers", index, "webhook", "secret"])));

/** A variable may itself be made of others. */
function withThoseInside(names: readonly string[], env: Session["env"]): readonly string[] {
  const all = new Set(names);
  for (const name of all) for (const inside of environmentNames(env[name])) all.add(inside);
  return [...all].sort();
}

/** The databases that `on` names; one alone has no name. */
export const databasesOf = ({ on = "" }: Pick<ProjectSettings, "on">): readonly CellAddress[] =>
  typeof on === "string"
    ? on === ""
      ? []
      : [{ name: "", url: on, isDraining: false }]
    : Object.entries(on).map(([name, cell]) =>
        typeof cell === "string"
          ? { name, url: cell, isDraining: false }
          : { name, url: cell.address, isDraining: cell.draining },
      );

/** Where the address of one stands in the file. */
export const pathOfDatabase = ({ on }: Pick<ProjectSettings, "on">, name: string): readonly string[] =>
  name === "" || typeof on !== "object" ? ["on"] : ["on", name, ...(typeof on[name] === "object" ? ["address"] : [])];

/** The same as one address, as `--on` takes it. */
export function fleetOfSettings(settings: Pick<ProjectSettings, "on">): string | undefined {
  const [first, ...others] = databasesOf(settings);
  return first && (first.name === "" ? first.url : joinedCells([first, ...others]));
}
