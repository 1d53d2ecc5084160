import { expect, it } from "vitest";
import { allOf, raw, sql } from "./sql.ts";

const numbered = (number: number): string => `$${number}`;

it("makes a parameter of every value, and a part of the text of what is SQL itself", () => {
  const mine = sql`owner = ${"me"} and scope = ${"a"}`;
  const statement = sql`delete from ${raw("slots")} where ${mine} and slot = ${2}`;
  expect(statement.text(numbered)).toBe("delete from slots where owner = $1 and scope = $2 and slot = $3");
  expect(statement.text("?")).toBe("delete from slots where owner = ? and scope = ? and slot = ?");
  expect(statement.values).toEqual(["me", "a", 2]);
});

it("puts nothing of a value into the text, whatever it says", () => {
  const statement = sql`select 1 where name = ${"'; drop table runs; --"}`;
  expect(statement.text(numbered)).toBe("select 1 where name = $1");
});

it("joins conditions, and is true without any", () => {
  expect(allOf([]).text(numbered)).toBe("true");
  expect(allOf([sql`a = ${1}`, raw("b is null"), sql`c = ${2}`]).text(numbered)).toBe(
    "a = $1 and b is null and c = $2",
  );
});
