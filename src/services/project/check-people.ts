// Checks `people` and `groups` of a project against each other: the answer to a gate must come from exactly one person,
// and a group must resolve to people.
import { createHash } from "node:crypto";
import type { Finding, Location } from "../../language/loaded.ts";
import type { ProjectSettings } from "./schema.ts";

type At = (path: readonly (string | number)[]) => Location;

export function* checkPeople(settings: Pick<ProjectSettings, "people" | "groups">, at: At): Iterable<Finding> {
  yield* sameTokens(settings.people, at);
  yield* sameUsers(settings.people, at);
  yield* strangers(settings, at);
}

/** By digest: one may be written as it is, and the other as its SHA-256. */
function* sameTokens(people: ProjectSettings["people"], at: At): Iterable<Finding> {
  const known = new Map<string, string>();
  for (const [name, person] of Object.entries(people)) {
    // A token that the environment leaves empty is none.
    const digest = person.token ? createHash("sha256").update(person.token).digest("hex") : person.token_sha256;
    if (digest === undefined) continue;
    const other = known.get(digest);
    if (other === undefined) known.set(digest, name);
    else
      yield wrong(
        "duplicate-token",
        `\`${name}\` has the same token as \`${other}\`, so Segno could not know which of them answers a gate. Give each their own (\`openssl rand -hex 24\` makes one).`,
        at(["people", name, person.token ? "token" : "token_sha256"]),
      );
  }
}

function* sameUsers(people: ProjectSettings["people"], at: At): Iterable<Finding> {
  const known = new Map<string, string>();
  for (const [name, { user }] of Object.entries(people)) {
    if (user === undefined) continue;
    const other = known.get(user);
    if (other === undefined) known.set(user, name);
    else
      yield wrong(
        "duplicate-user",
        `\`${name}\` has the same user as \`${other}\` (\`${user}\`), so Segno could not know which of them answers a gate. A user is one person: keep one of the two.`,
        at(["people", name, "user"]),
      );
  }
}

const USER_AND_HOST = /^[^@\s]+@[^@\s]+$/;

/** Groups hold people, so that a name that is misspelt, or a circle of groups, does not lock a gate for good. */
function* strangers({ people, groups }: Pick<ProjectSettings, "people" | "groups">, at: At): Iterable<Finding> {
  for (const [group, members] of Object.entries(groups))
    for (const [index, member] of members.entries()) {
      if (Object.hasOwn(people, member) || USER_AND_HOST.test(member)) continue;
      const place = at(["groups", group, index]);
      if (member.startsWith("@"))
        yield wrong(
          "group-in-group",
          `\`${member}\` is a group, and a group holds people only: with \`@${group}\` under \`approvers\`, a gate would wait for no one. Write the people of \`${member}\` here, or name both groups there.`,
          place,
        );
      else
        yield wrong(
          "unknown-name",
          `There is no person \`${member}\` under \`people\`. Add them there, or write their user and host (\`${member}@host\`).`,
          place,
        );
    }
}

const wrong = (rule: string, message: string, location: Location): Finding => ({
  rule,
  severity: "error",
  message,
  location,
  suggestions: [],
});
