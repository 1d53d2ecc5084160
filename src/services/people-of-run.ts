// Whose names count for a run: those of the project that its workflow file stands in. Where somebody happens to stand who
// starts it, answers it or goes on with it makes no difference: they could write a project there that calls them anything.
import { dirname } from "node:path";
import type { PeopleBook } from "./people.ts";
import { findProjectFile, whyNotOurs } from "./project/find-project.ts";
import type { Surroundings } from "./request.ts";

/** The same request, with the people of the project of that workflow file. */
export async function amongPeopleOf<Request extends Surroundings>(request: Request, file: string): Promise<Request> {
  const project = findProjectFile(dirname(file));
  // Most who ask stand in the project itself, and have read it.
  if (project === request.people?.project) return request;
  const { people: _, ...others } = request;
  const people = project === undefined ? undefined : await peopleIn(project, request.env);
  return { ...others, ...(people ? { people } : {}) } as Request;
}

async function peopleIn(project: string, env: Surroundings["env"]): Promise<PeopleBook | undefined> {
  if (whyNotOurs(project) !== undefined) return undefined;
  const { readProject } = await import("./project/read-project.ts");
  const settings = readProject(project, env).project?.settings;
  return settings ? { people: settings.people, groups: settings.groups, project } : undefined;
}
