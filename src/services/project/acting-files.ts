// The files of the project that a folder belongs to: `segno.yaml`, its triggers, its plugins with what they import.
// What an agent writes there would act later, whatever the working directory was when the run started.

import { relative, resolve, sep } from "node:path";
import { pathPattern } from "../../base/errors/path-pattern.ts";
import { findProjectFile, whyNotOurs } from "../session/find-project.ts";
import type { Session } from "../session/session.ts";
import type { Project } from "./read-project.ts";

/** Packages are left out: they are many, and digests hold them. */
export const actingFiles = ({ covered }: Pick<Project, "covered">): string[] =>
  [...covered.keys()].filter((path) => !path.includes("/node_modules/"));

interface ProjectAround {
  readonly actingFiles: readonly string[];
  /** Where it keeps its runs, whether that is used now or not. */
  readonly home?: string;
}

export async function projectAround(folder: string, env: Session["env"]): Promise<ProjectAround> {
  const file = findProjectFile(folder);
  if (file === undefined || whyNotOurs(file) !== undefined) return { actingFiles: [] };
  const { readProject } = await import("./read-project.ts");
  const { project } = readProject(file, env);
  if (!project) return { actingFiles: [file] };
  const { settings, dir } = project;
  return {
    actingFiles: actingFiles(project),
    ...(settings.home === undefined ? {} : { home: resolve(dir, settings.home) }),
  };
}

// Which workflow files a project offers: `workflows: [flows/**/*.yaml]`.

export function offers(patterns: readonly string[], dir: string): (file: string) => boolean {
  const all = patterns.map((pattern) => pathPattern(pattern.replace(/^\.\//, "")));
  return (file) => {
    const path = relative(dir, file).split(sep).join("/");
    return all.some((fits) => fits(path));
  };
}
