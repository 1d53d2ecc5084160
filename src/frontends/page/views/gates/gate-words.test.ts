import { expect, it } from "vitest";
import { dueText, rulesText, whoMayText } from "./gate-words.ts";

const you = (person: string) => ({ person, may_answer: false, why_not: "" });

it("says who may answer a gate", () => {
  expect(rulesText({ approvers: ["alex", "sam"], not_by: ["sam"] })).toBe(
    "For alex, sam. Not for sam, who started or changed the run.",
  );
  expect(rulesText({ approvers: null, not_by: [] })).toBe("");
});

it.each([
  [["alex", "sam", "kim"], ["sam"], "pat", " alex, kim may."],
  [["alex", "kim"], [], "pat", ""],
  [null, ["pat"], "pat", " Anybody else may."],
  [["pat"], ["pat"], "pat", expect.stringContaining("No one may")],
])("whoever may not is told who may: of %j without %j, for %s", (approvers, not_by, person, said) => {
  expect(whoMayText({ approvers, not_by, you: you(person) })).toEqual(said);
});

it("says until when as the reader's clock has it, and when it is too late", () => {
  const at = new Date(2026, 2, 1, 18, 30);
  const before = (minutes: number): number => at.getTime() - minutes * 60_000;
  expect(dueText(at.toISOString(), before(120))).toBe("Due in 2 h, today 18:30.");
  expect(dueText(at.toISOString(), before(-1))).toBe("It was due today 18:30: an answer no longer counts.");
});
