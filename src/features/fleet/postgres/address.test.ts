import { describe, expect, it } from "vitest";
import { StoreError } from "../../../storage/store-error.ts";
import { requireAddress } from "./connection.ts";
import { openPostgresStore } from "./store.ts";

const WRONG = [
  ["mysql://u:tangerine@h/x", /does not begin with postgres:\/\//],
  ["h:5432/tangerine", /does not begin with postgres:\/\//],
  ["postgres://u:tangerine@[::1]:99999/a", /port is no number up to 65535/],
  ["postgres://u:tanger#ine@h/x", /a # in the password is written %23/],
  ["postgres://u:1#tangerine@h/x", /not clear where the password ends/],
  ["postgres://u:tanger/ine@h/x", /a \/ is %2F/],
  ["postgres://u:1/tangerine@h/x", /not clear where the password ends/],
  ["postgres://u:1?tangerine@h/x", /a \? is %3F/],
  ["postgres://u:tangerine%zz@h/x", /not followed by two hexadecimal digits/],
] as const;

describe("the address of a fleet", () => {
  it.each(WRONG)("%s is refused in a sentence that does not show the password", async (url, why) => {
    const problem = await openPostgresStore(url, { home: "/nonexistent" }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(problem).toBeInstanceOf(StoreError);
    expect((problem as StoreError).message).toMatch(why);
    expect(`${(problem as StoreError).message} ${(problem as StoreError).path}`).not.toMatch(/tanger|ine@/);
  });

  it.each([
    "postgres://u:p%23%2F%40@h:5432/x?sslmode=require",
    "postgresql://h/x",
    "postgres:///x?host=/var/run/postgresql",
    "postgres://u@[::1]:5432/x",
  ])("%s is taken", (url) => expect(requireAddress(url)).toBeUndefined());

  it("names a host that nobody knows, and does not call that a defect", async () => {
    const opening = openPostgresStore("postgres://u:tangerine@no-such-host.invalid/x", { home: "/nonexistent" });
    await expect(opening).rejects.toThrow(
      /^postgres:\/\/u@no-such-host\.invalid\/x cannot be reached: .*Look at the address/,
    );
  });
});
