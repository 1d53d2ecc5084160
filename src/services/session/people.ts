// Who people are: the names that a project gives them, by their token or their user on a machine, and the groups they
// belong to. And who acts: the person that a face knows, else the user of this process.
import { hostname, userInfo } from "node:os";
import type { Answerer } from "../../engine/people/ask.ts";

export interface Person {
  readonly token?: string;
  /** In hex. */
  readonly token_sha256?: string;
  /** `alex@box`. */
  readonly user?: string;
}

export interface PeopleBook {
  readonly people: Readonly<Record<string, Person>>;
  /** The file that says so. */
  readonly project?: string;
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

export const knownPeople = ({ people, groups }: PeopleBook) => ({
  people: Object.keys(people),
  groups: Object.keys(groups),
});

const hasToken = ({ token, token_sha256 }: Person): boolean => Boolean(token) || token_sha256 !== undefined;

/** Those whom a page would let in. */
export const peopleWithTokens = (people: PeopleBook["people"]): readonly string[] =>
  Object.keys(people).filter((name) => hasToken(people[name] ?? {}));

/** The same people, none of whom a page lets in. */
export const withoutTokens = (people: PeopleBook["people"]): PeopleBook["people"] =>
  Object.fromEntries(Object.entries(people).map(([name, { user }]) => [name, user === undefined ? {} : { user }]));

/** What may travel to other machines: who there is, and neither tokens nor users. */
export const namesOfPeople = ({ people, groups }: PeopleBook): PeopleBook => ({
  people: Object.fromEntries(Object.keys(people).map((name) => [name, {}])),
  groups,
});

/** The people that `approvers` stands for. A group without a definition stays as written and matches no one. */
export const approving = (approvers: readonly string[], { groups }: PeopleBook): readonly string[] => [
  ...new Set(approvers.flatMap((name) => (name.startsWith("@") ? (groups[name.slice(1)] ?? [name]) : [name]))),
];

/** The name that the project gives to the system user `alex@box`; the user itself when it gives none. */
export function personOfUser(user: string, book?: PeopleBook): string {
  const found = Object.entries(book?.people ?? {}).find(([, person]) => person.user === user);
  return found?.[0] ?? user;
}

interface Acting {
  readonly person?: string | undefined;
  readonly project?: { readonly people?: PeopleBook | undefined } | undefined;
}

export const actingPerson = ({ person, project }: Acting): string =>
  person ?? personOfUser(personHere(), project?.people);

/** Under both names: the project's, and the one on a machine. */
export type KnownPerson = Required<Pick<Answerer, "person">> & Pick<Answerer, "user">;

/** The person that a page knows by their token, else the user of this process. */
export function actingAs({ person, project }: Acting): KnownPerson {
  if (person === undefined) return processOwner(project?.people);
  return { person, user: project?.people?.people[person]?.user };
}

/** The user of this process, by its uid: what a terminal or a library's user says of itself makes no difference. */
export function processOwner(people: PeopleBook | undefined): KnownPerson {
  const user = personHere();
  return { person: personOfUser(user, people), user };
}

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
