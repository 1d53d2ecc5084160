// Two people answer one question at once: one here, one through the store.
import { describe, expect, it } from "vitest";
import { freshStore } from "../../test/support/stores/homes.ts";
import { whyNotBy } from "../engine/people/approval.ts";
import type { Answer, GateAnswer, GateQuestion } from "../engine/people/ask.ts";
import { type AnswerBox, askedHere } from "./asking.ts";
import { realClock } from "./clock.ts";

const QUESTION: GateQuestion = {
  kind: "gate",
  node: "approve",
  key: "approve#1",
  prompt: "Ship?",
  options: [
    { label: "Yes", value: "yes" },
    { label: "No", value: "no" },
  ],
};

const answerOf = (person: string, value: string): GateAnswer => ({
  kind: "gate",
  value,
  additional_input: {},
  by: "terminal",
  person,
});

const KIM = answerOf("kim", "no");
const ALEX = answerOf("alex", "yes");

/** Kim answers here, alex in another process, right after the `nth` look at the store since kim did. */
async function raced(nth: number, question: GateQuestion = QUESTION) {
  const { gates } = freshStore().state;
  let [hasAnswered, looks] = [false, 0];
  let heard: string | undefined;
  const meanwhile = <Value>(value: Value): Value => {
    if (hasAnswered && ++looks === nth) heard = gates.answer("R1", question.key, ALEX, question);
    return value;
  };
  const box: AnswerBox = {
    present: () => meanwhile(gates.present("R1", question.key, question)),
    get: () => meanwhile(gates.get("R1", question.key)?.answer as GateAnswer | undefined),
    answerTo: () => meanwhile(gates.answerTo("R1", question.key, question)?.answer as GateAnswer | undefined),
    settle: (_, answer) =>
      meanwhile(gates.settle("R1", question.key, question, answer)?.answer as GateAnswer | undefined),
    forget: () => meanwhile(gates.forget("R1", question.key)),
  };
  const warnings: string[] = [];
  const ask = async () => {
    hasAnswered = true;
    meanwhile(undefined);
    return KIM;
  };
  const { signal } = new AbortController();
  const warn = (message: string) => void warnings.push(message);
  const isRefused = (one: Answer): boolean => whyNotBy(question, one) !== undefined;
  const answer = await askedHere({ ask, answers: box, clock: realClock }, question, { signal, warn, isRefused });
  return { answer, heard, warnings, gates };
}

describe("of two people who answer at once", () => {
  it.each([1, 2, 3])("one is heard (the other answers after look %i)", async (nth) => {
    const { answer, heard, warnings, gates } = await raced(nth);
    expect(answer).toEqual(heard === "ok" ? ALEX : KIM);
    expect(gates.counted("R1", QUESTION.key)?.answer).toEqual(answer);
    expect(warnings).toEqual(
      heard === "ok" ? ['the answer "no" of kim to approve does not count: alex answered first, with "yes"'] : [],
    );
  });

  it("one who may not answer leaves the question to the other", async () => {
    const { answer, heard } = await raced(2, { ...QUESTION, approvers: ["alex"] });
    // The run pauses; alex was heard, and a resume finds it.
    expect([answer, heard]).toEqual([undefined, "ok"]);
  });
});
