// Who acts: the person that a face knows, else the project's name for the user of this machine.

import { hostname, userInfo } from "node:os";
import type { Answerer } from "../../engine/people/ask.ts";
import type { Session } from "../session/session.ts";
import { type PeopleBook, personOfUser } from "./people.ts";

type Acting = Pick<Session, "person" | "project">;

export const actingPerson = ({ person, project }: Acting): string =>
  person ?? personOfUser(personHere(), project?.people);

/** Under both names: the project's, and the one on a machine. */
export type KnownPerson = Required<Pick<Answerer, "person">> & Pick<Answerer, "user">;

/** The person that a page knows by their token, else the user of this process. */
export function actingAs({ person, project }: Acting): KnownPerson {
  if (person === undefined) return processOwner(project?.people);
  const { user } = project?.people?.people[person] ?? {};
  return { person, ...(user === undefined ? {} : { user }) };
}

/** The user of this process, by its uid: what a terminal or a library's user says of itself makes no difference. */
export function processOwner(people: PeopleBook | undefined): KnownPerson {
  const user = personHere();
  return { person: personOfUser(user, people), user };
}

// Who is at this machine, as far as the operating system knows: what is recorded with an answer that a person gave.

/** `alex@box`. */
export const personHere = (): string => `${user()}@${hostname()}`;

function user(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run under numbers that have no name.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
