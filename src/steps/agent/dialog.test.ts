// Agents that talk with a person before their answer counts.
import { describe, expect, it } from "vitest";
import { testAttempt, testScope } from "../../../test/support/engine/attempt.ts";
import type { ModelRequest, ModelResult } from "../world.ts";
import { agent } from "./run.ts";
import type { AgentStep } from "./schema.ts";

const step: AgentStep = {
  type: "agent",
  name: "probe",
  input: [],
  routes: [],
  raise_when: [],
  prompt: "Research.",
  plugins: [],
  cache: false,
  dialog: { trigger_prompt: "Talk when unsure." },
};

interface Talk {
  readonly models: readonly unknown[];
  /** What the person says in turn; null ends it. Absent: nobody is there. */
  readonly person?: readonly (string | null)[];
  readonly conversation?: string;
}

async function talk({ models, person, conversation }: Talk) {
  const asked: ModelRequest[] = [];
  const shown: string[] = [];
  const callModel = async (request: ModelRequest): Promise<ModelResult> => {
    asked.push(request);
    return { ok: true, content: models[asked.length - 1], usage: { model: "m", input_tokens: 1, output_tokens: 1 } };
  };
  const ask = async (prompt: string): Promise<string | null> => {
    shown.push(prompt);
    return person?.[shown.length - 1] ?? null;
  };
  const attempt = { ...testAttempt({ world: { callModel } }), ...(person ? { ask } : {}) };
  const asking =
    conversation === undefined
      ? step
      : { ...step, dialog: { trigger_prompt: "Talk when unsure.", conversation_prompt: conversation } };
  const outcome = await agent.execute(agent.prepare(asking, testScope()), attempt);
  return { outcome, asked, shown, attempt };
}

const yes = { trigger: true, question: "Which angle?" };

describe("a dialog", () => {
  it("goes on until the person has nothing more to say, and then the agent answers again", async () => {
    const { outcome, asked, shown, attempt } = await talk({
      models: ["first", yes, "And how long?", "Thanks.", "second"],
      person: ["the cheap one", "short", null],
    });
    expect(outcome).toEqual({ ok: true, output: { result: "second" } });
    expect(shown).toEqual(["Which angle?", "And how long?", "Thanks."]);
    expect(asked.map((request) => request.purpose)).toEqual(["answer", "dialog", "dialog", "dialog", "answer"]);
    expect(asked[1]?.prompt).toContain("Talk when unsure.");
    expect(asked.at(-1)?.prompt).toMatch(/^Research\.[\s\S]*User: the cheap one[\s\S]*User: short/);
    expect(attempt.emitted("dialog_started")).toEqual([{ agent_name: "probe", question: "Which angle?" }]);
    expect(attempt.emitted("dialog_message").map(({ role }) => role)).toEqual([
      "agent",
      "user",
      "agent",
      "user",
      "agent",
    ]);
    expect(attempt.emitted("dialog_completed")).toEqual([{ agent_name: "probe", turns: 2, declined: false }]);
    expect(attempt.emitted("agent_usage").map(({ purpose }) => purpose)).toEqual([
      "answer",
      "dialog",
      "dialog",
      "dialog",
      "answer",
    ]);
  });

  it("that is declined leaves the answer as it is", async () => {
    const { outcome, asked, attempt } = await talk({ models: ["first", yes], person: [null] });
    expect(outcome).toEqual({ ok: true, output: { result: "first" } });
    expect(asked).toHaveLength(2);
    expect(attempt.emitted("dialog_completed")).toEqual([{ agent_name: "probe", turns: 0, declined: true }]);
  });

  it.each([
    ["does not hold", { trigger: false, question: "" }],
    ["cannot be judged", "I do not know"],
  ])("is not begun when its trigger %s", async (_, verdict) => {
    const { outcome, attempt } = await talk({ models: ["first", verdict], person: ["hello"] });
    expect(outcome).toEqual({ ok: true, output: { result: "first" } });
    expect(attempt.emitted("dialog_started")).toEqual([]);
  });

  it("is not even thought of when nobody is there", async () => {
    const { asked } = await talk({ models: ["first"] });
    expect(asked).toHaveLength(1);
  });
});

it("talks as the file says, at every turn, and answers as ever", async () => {
  const { asked } = await talk({
    models: ["first", { trigger: true, question: "Which?" }, "And when?", "Thanks.", "last"],
    person: ["This.", "Now.", null],
    conversation: "Be kind.",
  });
  const systems = asked.map(({ system }) => system.includes("Be kind."));
  // The answer, whether to talk, two replies, the answer again.
  expect(systems).toEqual([false, false, true, true, false]);
});
