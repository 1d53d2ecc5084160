// People in a scenario: gates and questions answered from the file.
import { whyNotBy } from "../../engine/people/approval.ts";
import type { Answer, Asker, AskingClock, GateQuestion, QuestionList } from "../../engine/people/ask.ts";
import { askerName, askerNames } from "../../events/asker-name.ts";
import { ScenarioError } from "./file.ts";
import type { ScenarioFile } from "./schema.ts";
import type { Missing } from "./world.ts";

/** `before`: keys of gates that were answered in earlier drives. */
export function scriptedAsker(scenario: ScenarioFile, missing: Missing, before: readonly string[] = []): Asker {
  const asked = new Map<string, number>();
  for (const key of before) {
    const name = scriptedAs(key, scenario.gates);
    if (name !== undefined) asked.set(name, (asked.get(name) ?? 0) + 1);
  }
  const isStrict = scenario.strict_gates ?? scenario.strict ?? Object.keys(scenario.gates).length > 0;
  const unscripted = (node: string): undefined => {
    missing(new ScenarioError(`the gate ${node} is not scripted`));
    return undefined;
  };
  const usedUp = (node: string, count: number): undefined => {
    missing(
      new ScenarioError(`the answers scripted for the gate ${node} are used up: it was presented ${count + 1} times`),
    );
    return undefined;
  };
  return async (question, signal, _, clock): Promise<Answer | undefined> => {
    switch (question.kind) {
      case "gate":
        return gate(question, signal, clock);
      case "questions":
        return questions(question, signal, clock);
      case "dialog":
        return { kind: "dialog", text: null, by: "scenario" };
    }
  };

  async function gate(question: GateQuestion, signal: AbortSignal, clock?: AskingClock): Promise<Answer | undefined> {
    const { node, key, options, deadline } = question;
    const name = scriptedAs(key, scenario.gates);
    const given = name === undefined ? undefined : scenario.gates[name];
    const count = asked.get(name ?? node) ?? 0;
    asked.set(name ?? node, count + 1);
    const answer = Array.isArray(given) ? (given[count] ?? (isStrict ? undefined : given.at(-1))) : given;
    if (Array.isArray(given) && !answer && isStrict) return usedUp(name ?? node, given.length);
    if (answer && "nobody" in answer) return answer.nobody === "yet" ? undefined : unanswered(deadline, signal, clock);
    if (answer) {
      const { by: person, takes_seconds = 0, ...said } = { by: undefined, ...answer };
      await clock?.sleep(takes_seconds * 1000, signal);
      if (signal.aborted) return undefined;
      const answered: Answer = { kind: "gate", ...said, by: "scenario", ...(person === undefined ? {} : { person }) };
      // An answer that will be refused is none: the gate waits on, with its reminders, until its time is over.
      if (whyNotBy(question, answered) !== undefined) await unanswered(deadline, signal, clock);
      return answered;
    }
    if (isStrict) return unscripted(askerName(key));
    return { kind: "gate", value: options[0]?.value ?? "", additional_input: {}, by: "scenario" };
  }

  async function questions(
    { key, questions: list, deadline }: QuestionList,
    signal: AbortSignal,
    clock?: AskingClock,
  ): Promise<Answer | undefined> {
    const name = scriptedAs(key, scenario.questions);
    const said = name === undefined ? undefined : scenario.questions[name];
    if (said && said.nobody === "yet") return undefined;
    if (said && said.nobody === true) return unanswered(deadline, signal, clock);
    const given = said as Readonly<Record<string, string>> | undefined;
    if (!given && isStrict) return unscripted(askerName(key));
    const answers = list.map((one) => {
      const answer = given?.[one.id] ?? one.default;
      if (answer === undefined) return { id: one.id, answer: "", source: "skipped" as const };
      return {
        id: one.id,
        answer,
        source: one.choices?.includes(answer) ? ("choice" as const) : ("free_text" as const),
      };
    });
    return { kind: "questions", answers, outcome: "completed", by: "scenario" };
  }
}

/** Of the names that the asker may have, the longest that is scripted: an item's or a child's goes before the plain step's. */
const scriptedAs = (key: string, scripted: Readonly<Record<string, unknown>>): string | undefined =>
  askerNames(key)
    .filter((name) => Object.hasOwn(scripted, name))
    .sort((a, b) => b.length - a.length)[0];

/** Time passes until the deadline does; without one the run pauses. */
async function unanswered(deadline: string | undefined, signal: AbortSignal, clock?: AskingClock): Promise<undefined> {
  if (deadline !== undefined && clock) await clock.sleep(Date.parse(deadline) - clock.now() + 1000, signal);
  return undefined;
}
