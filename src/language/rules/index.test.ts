import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RULES } from "./index.ts";

/** One rule speaks under a name that loading uses too. */
const fileOf = (name: string): string => (name === "unsupported-option" ? "foreign-provider" : name);

describe("the rules", () => {
  it("have one name each", () => {
    const names = RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(RULES.map((rule) => [rule.name, rule] as const))(
    "%s teaches, shows an example, and has its test beside it",
    (name, rule) => {
      expect(rule.description).toMatch(/^.{30,}\.$/);
      expect(rule.description).not.toContain("!");
      expect(rule.example).toBeTruthy();
      expect(existsSync(new URL(`./${fileOf(name)}.test.ts`, import.meta.url))).toBe(true);
    },
  );
});
