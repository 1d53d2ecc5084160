// Whose names count for a run: those of the project that its workflow file stands in. Where somebody happens to stand who
// starts it, answers it or goes on with it makes no difference: they could write a project there that calls them anything.
import { dirname } from "node:path";
import { type PeopleBook, withoutTokens } from "./people.ts";
import { findProjectFile, whyNotOurs } from "./project/find-project.ts";
import type { Surroundings } from "./request.ts";

/**
 * The same request, with the people of the project of that workflow file. Its plugins are not loaded for somebody who stands
 * elsewhere: whoever misses one is told so.
 */
export async function amongPeopleOf<Request extends Surroundings>(request: Request, file: string): Promise<Request> {
  const project = findProjectFile(dirname(file));
  // Most who ask stand in the project itself, and have read it.
  if (project === request.people?.project) return request;
  const { people: _, confidential = [], extensions, ...others } = request;
  const found = project === undefined ? undefined : await peopleIn(project, request.env);
  const missing = found?.hasPlugins ? { missing: whereTheyAre(found.folder) } : {};
  const known: Pick<Surroundings, "people" | "confidential" | "extensions"> = {
    ...(found ? { people: found.people } : {}),
    ...(extensions || found?.hasPlugins ? { extensions: { ...missing, ...extensions } } : {}),
    confidential: [...confidential, ...(found?.confidential ?? [])],
  };
  return { ...others, ...known } as Request;
}

interface Found {
  readonly people: PeopleBook;
  /** What their tokens are taken from stays with Segno, wherever somebody stands. */
  readonly confidential: readonly string[];
  readonly folder: string;
  readonly hasPlugins: boolean;
}

const whereTheyAre = (folder: string): string =>
  `Plugins of ${folder} may bring it, and they are loaded only for commands that are given in that folder: run it from there.`;

async function peopleIn(project: string, env: Surroundings["env"]): Promise<Found | undefined> {
  if (whyNotOurs(project) !== undefined) return undefined;
  const { readProject } = await import("./project/read-project.ts");
  const read = readProject(project, env).project;
  if (!read) return undefined;
  const { people, groups } = read.settings;
  return {
    people: { people: withoutTokens(people), groups, project },
    confidential: read.confidential,
    folder: read.dir,
    hasPlugins: read.plugins.length > 0,
  };
}
