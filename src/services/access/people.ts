// Who people are: the names that a project gives them, by the token that the page knows them by or by their user on a
// machine, and the groups they belong to.

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
