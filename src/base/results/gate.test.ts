import { expect, it } from "vitest";
import { howToAnswer } from "./gate.ts";
import { COMMAND_LINE, type Reader } from "./reader.ts";

const AGENT: Reader = { ...COMMAND_LINE, ask: () => null };

it.each([
  [{}, "anybody may answer"],
  [{ approvers: ["kim"] }, "only kim may answer"],
  [
    { not_by: ["alex"], deadline: "2026-01-02T00:00:00.000Z" },
    "anybody may answer; not alex, who started or changed the run (four_eyes); until 2026-01-02T00:00:00.000Z",
  ],
])("who may answer is said of a gate with %j", (rules, who) => {
  expect(howToAnswer({ to: "answer", run: "01RUN" }, rules, COMMAND_LINE)).toEqual({
    who,
    answer: "segno gate answer 01RUN VALUE",
  });
});

it("a list of questions is answered by id", () => {
  const wanted = { to: "answer", run: "01RUN", gate: "each[eu]", questions: ["db", "name"] } as const;
  expect(howToAnswer(wanted, {}, COMMAND_LINE).answer).toBe(
    "segno gate answer 01RUN done --gate 'each[eu]' --input db=TEXT --input name=TEXT",
  );
});

it("a reader who may not answer is told so, and no command", () => {
  const { who, answer } = howToAnswer({ to: "answer", run: "01RUN" }, { approvers: ["kim"] }, AGENT);
  expect(who).toBe("a person may answer, and this client may not; only kim may answer");
  expect(answer).toMatch(/^a person answers it/);
});

it("an agent that may answer gates is told of one for certain people that it may not", () => {
  const mayAnswer: Reader = {
    ...COMMAND_LINE,
    ask: (wanted) => (wanted.to === "answer" && !wanted.isForPeople ? "gate_answer" : null),
  };
  const wanted = { to: "answer", run: "01RUN" } as const;
  expect(howToAnswer(wanted, {}, mayAnswer)).toEqual({ who: "anybody may answer", answer: "gate_answer" });
  for (const rules of [{ approvers: ["kim"] }, { not_by: ["alex"] }]) {
    const { who, answer } = howToAnswer(wanted, rules, mayAnswer);
    expect(who).toMatch(/^a person may answer, and this client may not; /);
    expect(answer).toMatch(/^a person answers it/);
  }
});

it("of a gate whose deadline has passed it is said how the run goes on", () => {
  const deadline = "2026-01-02T00:00:00.000Z";
  const wanted = { to: "answer", run: "01RUN" } as const;
  expect(howToAnswer(wanted, { deadline }, COMMAND_LINE, Date.parse(deadline))).toEqual({
    who: `anybody may answer; the deadline ${deadline} has passed`,
    answer: "too late, the deadline has passed: segno resume 01RUN goes on with on_timeout",
  });
  expect(howToAnswer(wanted, { deadline }, COMMAND_LINE, Date.parse(deadline) - 1).answer).toBe(
    "segno gate answer 01RUN VALUE",
  );
});
