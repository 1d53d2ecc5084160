// Which people count for a run: those of the project that its workflow file belongs to. The working directory of the
// user does not matter: a project written there could give them any name.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ValidateOptions } from "../../language/validate.ts";
import { knownTo } from "../session/extensions.ts";
import { findProjectFile } from "../session/find-project.ts";
import { knownPeople } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { peopleIn } from "./project-people.ts";
import { withDefinition } from "./with-definition.ts";

/** With the people of the file's own project. Its plugins are not loaded from another folder; the error says so. */
export function withProjectPeople<Here extends PeopleHere>(session: Here, file: string): Here {
  const { extensions, project: here } = session;
  const project = findProjectFile(dirname(file));
  // Most who ask stand in the project itself, and have read it.
  if (project === here?.people?.project) return session;
  const found = project === undefined ? undefined : peopleIn(project, session.env);
  const missing = found?.hasPlugins ? { missing: whereTheyAre(found.folder) } : {};
  const confidential = [...(here?.confidential ?? []), ...(found?.confidential ?? [])];
  return {
    ...session,
    ...(extensions || found?.hasPlugins ? { extensions: { ...missing, ...extensions } } : {}),
    project: { ...here, people: found?.people, confidential },
  };
}

/** As the run began: with the workflow that its file defines, if that is code, and the people of the file's project. */
export const sessionOfRun = async (session: Session, file: string): Promise<Session> =>
  withProjectPeople(await withDefinition(session, file), file);

type PeopleHere = Pick<Session, "env" | "extensions" | "project">;

/** What validation has to know. People without a project came with the run, as did a file that is not here. */
export function knownFor(file: string, session: PeopleHere): ValidateOptions {
  const brought = session.project?.people;
  const isBrought = (brought && brought.project === undefined) || !existsSync(file);
  const { extensions, project } = isBrought ? session : withProjectPeople(session, file);
  return { ...knownTo(extensions), ...(project?.people ? { people: knownPeople(project.people) } : {}) };
}

const whereTheyAre = (folder: string): string =>
  `Plugins of ${folder} may bring it, and they are loaded only for commands that are given in that folder: run it from there.`;
