// Who people are: the names that a project gives them, by the token that the page knows them by or by their user on a
// machine, and the groups they belong to.
import { createHash, timingSafeEqual } from "node:crypto";

export interface Person {
  readonly token?: string;
  /** In hex. */
  readonly token_sha256?: string;
  /** `alex@box`. */
  readonly user?: string;
}

export interface PeopleBook {
  readonly people: Readonly<Record<string, Person>>;
  /** Names of people, by group. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The person that a token belongs to. Every token is compared, and in constant time, so nothing is learnt from how long it takes. */
export function personOfToken(token: string, { people }: PeopleBook): string | undefined {
  const given = sha256(token);
  let found: string | undefined;
  for (const [name, { token: plain, token_sha256 }] of Object.entries(people)) {
    const kept = token_sha256 !== undefined ? Buffer.from(token_sha256, "hex") : plain ? sha256(plain) : undefined;
    if (kept !== undefined && timingSafeEqual(kept, given) && token !== "") found ??= name;
  }
  return found;
}

/** What validation has to know of them. */
export const knownPeople = ({ people, groups }: PeopleBook) => ({
  people: Object.keys(people),
  groups: Object.keys(groups),
});

/** The people that `approvers` stands for. A group that nobody defines stands for nobody. */
export const approving = (approvers: readonly string[], { groups }: PeopleBook): readonly string[] => [
  ...new Set(approvers.flatMap((name) => (name.startsWith("@") ? (groups[name.slice(1)] ?? [name]) : [name]))),
];

/** The name of whoever the operating system knows as `alex@box`; that itself when the project has none for them. */
export function personOfUser(user: string, book?: PeopleBook): string {
  const found = Object.entries(book?.people ?? {}).find(([, person]) => person.user === user);
  return found?.[0] ?? user;
}
