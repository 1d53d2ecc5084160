// The project of a command's working directory: what it adds to every request, and what is left out because the project
// is not trusted yet.

import { lstatSync, readdirSync } from "node:fs";
import Module from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { keptIn } from "../../base/errors/mapping.ts";
import { installedFolder } from "../../providers/load-package.ts";
import { invalidWorkflow, Refused, refusal } from "../refusals.ts";
import { environmentRedactor } from "../session/exit.ts";
import type { Extensions } from "../session/extensions.ts";
import { exposure, whyNotOurs } from "../session/find-project.ts";
import { isBelow } from "../session/path-inside.ts";
import { withoutTokens } from "../session/people.ts";
import { programName } from "../session/program-name.ts";
import type { ProjectPart, Session, SessionProject } from "../session/session.ts";
import { actingFiles, offers } from "./acting-files.ts";
import type { PluginLoader } from "./plugins.ts";
import { fleetOfSettings, type Project, readProject } from "./read-project.ts";
import type { ProjectSettings } from "./schema.ts";
import { isTrusted, wasOnceTrusted } from "./trust.ts";

export interface OpenedProject {
  /** Absent when the file belongs to another user. */
  readonly project?: Project;
  readonly isTrusted: boolean;
  readonly part: ProjectPart;
  /** Why its plugins could not be loaded: most commands end with it. */
  readonly broken?: Refused;
  /** What a person should know, a line each. */
  readonly notices: readonly string[];
}

interface Opening {
  /** The caller goes on without plugins that are missing or slow to load. */
  readonly needsNoPlugin?: boolean;
  /** Where what plugins print goes. */
  readonly print?: (text: string) => void;
}

export async function openProject(
  file: string,
  { cwd, env }: Pick<Session, "cwd" | "env">,
  { needsNoPlugin = false, print = (text) => void process.stderr.write(text) }: Opening = {},
): Promise<OpenedProject> {
  const notOurs = whyNotOurs(file);
  if (notOurs !== undefined)
    return { isTrusted: false, part: {}, notices: [`${shown(file, cwd)} ${notOurs} and is left alone.`] };
  const { project, findings } = readProject(file, env);
  if (!project || (project.lacksPlugin && !needsNoPlugin))
    throw new Refused(environmentRedactor(env).answer(invalidWorkflow(findings, file, cwd).result));
  const wasTrusted = isTrusted(project, { env });
  const trusted = project.acting.length === 0 || wasTrusted;
  const { settings, dir } = project;
  const named = homeOfProject(project, trusted);
  const hasChanged = !trusted && wasOnceTrusted(project, { env });
  const loaded =
    project.plugins.length === 0
      ? undefined
      : trusted
        ? await plugins(project, { env, print, limitMs: needsNoPlugin ? HURRIED_MS : UNHURRIED_MS })
        : untrusted(hasChanged, env);
  const broken = loaded instanceof Refused ? loaded : project.lacksPlugin ? lacking(project) : undefined;
  const extensions = loaded instanceof Refused ? { missing: `Its plugins are not loaded: ${loaded.message}.` } : loaded;
  return {
    project,
    isTrusted: trusted,
    ...(broken ? { broken } : {}),
    part: {
      home: named.home,
      extensions,
      page: settings.page || undefined,
      fleet: trusted ? fleetOfSettings(settings) : undefined,
      project: {
        homeNamedBy: named.home === undefined || wasTrusted ? undefined : file,
        defaults: defaultsOf(settings),
        offers: settings.workflows.length > 0 ? offers(settings.workflows, dir) : undefined,
        otlp: (trusted && settings.telemetry?.otlp) || undefined,
        actingFiles: actingFiles(project),
        loadDefinition: definitions(project, {
          trusted,
          hasChanged,
          cwd,
          loader: { env, print, limitMs: UNHURRIED_MS },
        }),
        confidential: project.confidential,
        // Who may sign in at a server is what only its owner says.
        people: {
          people: trusted ? settings.people : withoutTokens(settings.people),
          groups: settings.groups,
          project: file,
        },
      },
    },
    notices: [
      ...(trusted
        ? []
        : [
            `${shown(file, cwd)} is not trusted, so this is left out: ${project.acting.join(", ")}. ${
              project.untrustable === undefined
                ? `${hasChanged ? "It has changed since it was trusted: " : ""}\`${programName(env)} trust\` shows what would be executed or sent, and asks.`
                : `It cannot be trusted: ${project.untrustable}.`
            }`,
          ]),
      ...(named.why === undefined ? [] : [`home of ${shown(file, cwd)} is not used: ${named.why}.`]),
    ],
  };
}

const untrusted = (hasChanged: boolean, env: Session["env"]): Extensions => ({
  missing: `The plugins of segno.yaml are not loaded, since it ${hasChanged ? "has changed and is not trusted any more" : "is not trusted"}: \`${programName(env)} trust\` shows what they are, and asks.`,
});

/** Workflows that are code, each loaded once. */
function definitions(
  project: Project,
  {
    trusted,
    hasChanged,
    cwd,
    loader,
  }: { readonly trusted: boolean; readonly hasChanged: boolean; readonly cwd: string; readonly loader: PluginLoader },
): NonNullable<SessionProject["loadDefinition"]> {
  const loaded = new Map<string, ReturnType<NonNullable<SessionProject["loadDefinition"]>>>();
  return async (asked, isPlaced = false) => {
    const about = shown(asked, cwd);
    const file = codeFile(project, asked, isPlaced);
    if (file === undefined)
      throw refusal(`${about} is code, and ${shown(project.file, cwd)} does not name it`, {
        hint: `Add it there under \`workflows\` (workflows: [${relative(project.dir, asked)}]), and trust the project: ${programName(loader.env)} trust.`,
      });
    if (!trusted)
      throw refusal(
        `${about} is code, and it is executed only in a project that is trusted; ${shown(project.file, cwd)} ${hasChanged ? "has changed since it was" : "is not"}`,
        { hint: `${programName(loader.env)} trust shows what would be executed, and asks.` },
      );
    requireTypeScript(about);
    const { loadDefinition } = await import("./plugins.ts");
    return keptIn(loaded, file, () => loadDefinition(project, file, loader));
  };
}

/** The file itself; of a run that was placed from another copy of the project, the file with that path in this one. */
const codeFile = ({ code }: Project, asked: string, isPlaced: boolean): string | undefined =>
  code.find(({ file, name }) => file === asked || (isPlaced && asked.endsWith(`/${name}`)))?.file;

/** Node reads TypeScript since 22.13; for older ones esbuild does. */
function requireTypeScript(file: string): void {
  if (!/\.m?ts$/.test(file) || "stripTypeScriptTypes" in Module) return;
  if (installedFolder("esbuild") === undefined)
    throw refusal(`${file} is TypeScript, which Node ${process.versions.node} does not read`, {
      hint: "Install esbuild beside Segno (npm install esbuild), or use Node 22.13 or newer.",
    });
  process.setSourceMapsEnabled(true);
}

const lacking = ({ untrustable = "one of its plugins cannot be read" }: Project): Refused =>
  refusal(`the plugins of segno.yaml could not be loaded: ${untrustable}`, { errorType: "PluginError" });

/** `segno cancel` is often in a hurry. */
const UNHURRIED_MS = 30_000;
const HURRIED_MS = 3000;

const plugins = async (project: Project, loader: PluginLoader): Promise<Extensions | Refused> =>
  (await import("./plugins.ts")).loadPlugins(project, loader).catch((problem: unknown) => {
    if (problem instanceof Refused) return problem;
    throw problem;
  });

/** Runs hold their inputs: a file that is not trusted cannot choose where they are written, except its own folder. */
function homeOfProject({ settings, dir, acting }: Project, trusted: boolean): { home?: string; why?: string } {
  if (settings.home === undefined) return {};
  const home = resolve(dir, settings.home);
  const isInside = isBelow(home, dir);
  const why =
    isInside || (trusted && acting.length > 0) ? whyNoHome(home, isInside ? dir : home) : "it leads out of the project";
  return why === undefined ? { home } : { why };
}

const shown = (file: string, cwd: string): string => relative(cwd, file) || file;

// The home that a project's file names. A clone can bring one along, with links in it that lead what is written somewhere
// else: such a home is not used.

/** The folders that Segno writes into, by how deep they lie: `runs/ID/blobs`. What agents keep beside is their own. */
const WRITTEN: readonly RegExp[] = [/^(runs|worker)$/, /^/, /^blobs$/];

/** Why it is not used; nothing when it may be. `top` is the folder above which others may decide. */
function whyNoHome(home: string, top: string): string | undefined {
  try {
    let there = home;
    while (!isThere(there)) there = dirname(there);
    const why = exposure(there, there.length < top.length ? there : top);
    return why ?? (there === home ? strayIn(home, 0) : undefined);
  } catch (problem) {
    // A file where a folder should be, or one that we may not look into.
    return `it cannot be looked into (${(problem as Error).message})`;
  }
}

/** Looked at by every command of a project with a home of its own, so it asks for names and kinds alone. */
function strayIn(folder: string, depth: number): string | undefined {
  for (const one of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, one.name);
    if (one.isSymbolicLink()) return `${path} is a link`;
    if (!one.isDirectory() || !WRITTEN[depth]?.test(one.name)) continue;
    const why = exposure(path, path) ?? strayIn(path, depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Also a link to what is not there. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function defaultsOf({ defaults, limits }: ProjectSettings): SessionProject["defaults"] {
  const all = { ...defaults, ...(limits.length > 0 ? { limits } : {}) };
  return Object.keys(all).length > 0 ? all : undefined;
}
