// Whose names count for a run: those of the project that its workflow file belongs to. The working directory of the
// user who starts, answers or resumes it does not matter: a project written there could give them any name.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ValidateOptions } from "../../language/validate.ts";
import { findProjectFile } from "../project/find-project.ts";
import { peopleIn } from "../project/project-people.ts";
import { knownTo } from "../session/extensions.ts";
import type { Session } from "../session/session.ts";
import { knownPeople } from "./people.ts";

/**
 * The same request, with the people of the project of that workflow file. Its plugins are not loaded for a user in
 * another folder; where one is missing, the error says so.
 */
export const withProjectPeople = async <Request extends Session>(request: Request, file: string): Promise<Request> =>
  withPeopleOf(request, file);

function withPeopleOf<Request extends PeopleHere>(request: Request, file: string): Request {
  const project = findProjectFile(dirname(file));
  // Most who ask stand in the project itself, and have read it.
  if (project === request.people?.project) return request;
  const { people: _, confidential = [], extensions, ...others } = request;
  const found = project === undefined ? undefined : peopleIn(project, request.env);
  const missing = found?.hasPlugins ? { missing: whereTheyAre(found.folder) } : {};
  const known: Pick<Session, "people" | "confidential" | "extensions"> = {
    ...(found ? { people: found.people } : {}),
    ...(extensions || found?.hasPlugins ? { extensions: { ...missing, ...extensions } } : {}),
    confidential: [...confidential, ...(found?.confidential ?? [])],
  };
  return { ...others, ...known } as Request;
}

type PeopleHere = Pick<Session, "env" | "people" | "confidential" | "extensions">;

/**
 * What validation of a workflow file has to know: step types, providers and the people of the file's own project. People
 * without a project came with the run, and so did a file that is not on this machine.
 */
export function knownFor(file: string, request: PeopleHere): ValidateOptions {
  const isBrought = (request.people && request.people.project === undefined) || !existsSync(file);
  const { extensions, people } = isBrought ? request : withPeopleOf(request, file);
  return { ...knownTo(extensions), ...(people ? { people: knownPeople(people) } : {}) };
}

const whereTheyAre = (folder: string): string =>
  `Plugins of ${folder} may bring it, and they are loaded only for commands that are given in that folder: run it from there.`;
