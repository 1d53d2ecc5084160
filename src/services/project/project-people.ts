// The people of a project that the command does not stand in. The built program loads this when it is first asked: most
// commands never need the schemas that reading a project takes.

import { whyNotOurs } from "../session/find-project.ts";
import { type PeopleBook, withoutTokens } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { readProject } from "./read-project.ts";

interface Found {
  readonly people: PeopleBook;
  /** The variables that hold their tokens stay with Segno, in every working directory. */
  readonly confidential: readonly string[];
  readonly folder: string;
  readonly hasPlugins: boolean;
}

export function peopleIn(project: string, env: Session["env"]): Found | undefined {
  if (whyNotOurs(project) !== undefined) return undefined;
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
