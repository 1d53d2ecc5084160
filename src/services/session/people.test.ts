// Who somebody is: by their token on the page, or by their user on a machine.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { approving, type PeopleBook, personOfUser } from "./people.ts";
import { personOfToken } from "./person-of-token.ts";

const book: PeopleBook = {
  people: {
    alex: { token: "alex-token", user: "alex@box" },
    sam: { token_sha256: createHash("sha256").update("sam-token").digest("hex") },
    kim: { token: "" },
  },
  groups: { release: ["alex", "sam"] },
};

it.each([
  ["alex-token", "alex"],
  ["sam-token", "sam"],
  ["alex-toke", undefined],
  [createHash("sha256").update("sam-token").digest("hex"), undefined],
  ["", undefined],
])("the token %j is %s's", (token, name) => {
  expect(personOfToken(token, book)).toBe(name);
});

it("a user has the name that the project gives them, or their own", () => {
  expect(personOfUser("alex@box", book)).toBe("alex");
  expect(personOfUser("alex@elsewhere", book)).toBe("alex@elsewhere");
  expect(personOfUser("alex@box")).toBe("alex@box");
});

it("a group stands for its people, and one that nobody defines for nobody", () => {
  expect(approving(["@release", "alex", "@gone"], book)).toEqual(["alex", "sam", "@gone"]);
});
