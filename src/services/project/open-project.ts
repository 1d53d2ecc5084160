// The project that a command stands in: what it adds to every request, and what it leaves out because nobody has said yet
// that it may act.
import { relative, resolve } from "node:path";
import { invalidWorkflow } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { isBelow } from "../roots.ts";
import { isOwnedByUs } from "./find-project.ts";
import { offers } from "./offered.ts";
import { type Project, readProject } from "./read-project.ts";
import { isTrusted } from "./trust.ts";

export interface OpenedProject {
  /** Absent when the file is somebody else's. */
  readonly project?: Project;
  readonly isTrusted: boolean;
  /** What is added to where a request stands. */
  readonly part: Pick<Surroundings, "home" | "extensions" | "defaults" | "people" | "offers" | "fleet" | "otlp">;
  /** What a person should know, a line each. */
  readonly notices: readonly string[];
}

export async function openProject(
  file: string,
  { cwd, env }: Pick<Surroundings, "cwd" | "env">,
): Promise<OpenedProject> {
  if (!isOwnedByUs(file))
    return {
      isTrusted: false,
      part: {},
      notices: [`${shown(file, cwd)} belongs to another user and is left alone.`],
    };
  const { project, findings } = readProject(file, env);
  if (!project) throw invalidWorkflow(findings, file, cwd);
  const trusted = project.acting.length === 0 || isTrusted(project, { cwd, env });
  const { settings, dir } = project;
  const home = settings.home === undefined ? undefined : resolve(dir, settings.home);
  // Runs hold what they were given: a file that nobody trusts does not say where that is written, but in its own folder.
  const homeIsUsed = home !== undefined && (isBelow(home, dir) || (trusted && project.acting.length > 0));
  const extensions =
    trusted && project.plugins.length > 0 ? await (await import("./plugins.ts")).loadPlugins(project, env) : undefined;
  return {
    project,
    isTrusted: trusted,
    part: {
      ...(homeIsUsed ? { home } : {}),
      ...(extensions ? { extensions } : {}),
      ...(Object.keys(settings.defaults).length > 0 ? { defaults: settings.defaults } : {}),
      ...(settings.workflows.length > 0 ? { offers: offers(settings.workflows, dir) } : {}),
      ...(trusted && settings.on ? { fleet: settings.on } : {}),
      ...(trusted && settings.telemetry?.otlp ? { otlp: settings.telemetry.otlp } : {}),
      people: { people: settings.people, groups: settings.groups },
    },
    notices: [
      ...(trusted
        ? []
        : [
            `${shown(file, cwd)} is not trusted, so this is left out: ${project.acting.join(", ")}. \`segno trust\` shows what would be executed or sent, and asks.`,
          ]),
      ...(home !== undefined && !homeIsUsed
        ? [`home of ${shown(file, cwd)} leads out of the project and is not used.`]
        : []),
    ],
  };
}

const shown = (file: string, cwd: string): string => relative(cwd, file) || file;
