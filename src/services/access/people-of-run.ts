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
 * The same session, with the people of the project of that workflow file. Its plugins are not loaded for a user in
 * another folder; where one is missing, the error says so.
 */
export const withProjectPeople = (session: Session, file: string): Session => ({
  ...session,
  ...peopleFor(session, file),
});

type PeopleHere = Pick<Session, "env" | "people" | "confidential" | "extensions">;

function peopleFor(session: PeopleHere, file: string): Omit<PeopleHere, "env"> {
  const project = findProjectFile(dirname(file));
  const { people, confidential = [], extensions } = session;
  // Most who ask stand in the project itself, and have read it.
  if (project === people?.project) return {};
  const found = project === undefined ? undefined : peopleIn(project, session.env);
  const missing = found?.hasPlugins ? { missing: whereTheyAre(found.folder) } : {};
  return {
    people: found?.people,
    ...(extensions || found?.hasPlugins ? { extensions: { ...missing, ...extensions } } : {}),
    confidential: [...confidential, ...(found?.confidential ?? [])],
  };
}

/**
 * What validation of a workflow file has to know: step types, providers and the people of the file's own project. People
 * without a project came with the run, and so did a file that is not on this machine.
 */
export function knownFor(file: string, session: PeopleHere): ValidateOptions {
  const isBrought = (session.people && session.people.project === undefined) || !existsSync(file);
  const { extensions, people } = isBrought ? session : { ...session, ...peopleFor(session, file) };
  return { ...knownTo(extensions), ...(people ? { people: knownPeople(people) } : {}) };
}

const whereTheyAre = (folder: string): string =>
  `Plugins of ${folder} may bring it, and they are loaded only for commands that are given in that folder: run it from there.`;
