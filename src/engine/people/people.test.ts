// Gates and questions: a run pauses where nobody is there, and does not ask again what was answered.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../testing/memory-run.ts";
import { raises } from "../testing/scripted-world.ts";
import type { Answer, Asker } from "./ask.ts";

const GATE = `
workflow: { name: case, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: Ship it?
    options:
      - { label: "Yes", value: "yes", route: ship }
      - { label: "No", value: "no", route: $end }
  - { name: ship, type: script, command: ship, routes: [{ to: $end }] }
output: { chosen: "{{ approve.output.selected }}" }
`;
const saying =
  (value: string, asked: string[] = []): Asker =>
  async (question): Promise<Answer | undefined> => {
    asked.push(question.prompt ?? "");
    return { kind: "gate", value, additional_input: {}, by: "terminal" };
  };

describe("a gate", () => {
  it("pauses the run when nobody is there, and says what it asks", async () => {
    const { end, recorded } = await new MemoryRun(GATE).drive();
    expect(end).toMatchObject({ type: "paused", question: { node: "approve", prompt: "Ship it?" } });
    expect(recorded("run_paused")).toMatchObject([{ reason: "approve waits for an answer" }]);
  });

  it.each([
    ["yes", ["ship#1"]],
    ["no", []],
  ])("goes where the option %s leads", async (value, ran) => {
    expect(await new MemoryRun(GATE).drive({ ask: saying(value) })).toMatchObject({ ran, output: { chosen: value } });
  });

  it("is asked once: a resume knows the answer", async () => {
    const run = new MemoryRun(GATE);
    const asked: string[] = [];
    await run.drive({ ask: saying("yes", asked), scripts: { ship: [raises("app.bad")] } });
    expect(await run.drive({ ask: saying("no", asked) })).toMatchObject({ ran: ["ship#1"], output: { chosen: "yes" } });
    expect(asked).toEqual(["Ship it?"]);
  });

  it("knows an answer that was written right before a crash", async () => {
    const run = new MemoryRun(GATE);
    await run.drive({ ask: saying("yes") });
    run.cutAfter("gate_resolved");
    expect(await run.drive()).toMatchObject({ ran: ["ship#1"], output: { chosen: "yes" } });
  });

  it("is asked again when the question is another one now", async () => {
    const run = new MemoryRun(GATE);
    const asked: string[] = [];
    await run.drive({ ask: saying("yes", asked), scripts: { ship: [raises("app.bad")] } });
    run.edit("Ship it?", "Ship it to production?");
    expect(await run.drive({ ask: saying("no", asked) })).toMatchObject({ ran: [], output: { chosen: "no" } });
    expect(asked).toEqual(["Ship it?", "Ship it to production?"]);
  });

  it("is asked again by a resume from it, and the newer answer is the one that counts", async () => {
    const run = new MemoryRun(GATE);
    const asked: string[] = [];
    await run.drive({ ask: saying("yes", asked), scripts: { ship: [raises("app.bad")] } });
    expect((await run.drive({ from: "approve" })).end.type).toBe("paused");
    expect(await run.drive({ ask: saying("no", asked) })).toMatchObject({ ran: [], output: { chosen: "no" } });
    expect(asked).toEqual(["Ship it?", "Ship it?"]);
  });

  it("refuses an answer without the text that its option asks for, which nobody owes who skips gates", async () => {
    const wanting = GATE.replace("route: ship", "route: ship, prompt_for: why");
    const { end } = await new MemoryRun(wanting).drive({ ask: saying("yes") });
    expect(end).toMatchObject({
      type: "raised",
      error: { kind: "internal.bad_value", message: expect.stringContaining("why") },
    });
    expect((await new MemoryRun(wanting).drive({ skipGates: true })).ran).toEqual(["ship#1"]);
    const optional = wanting.replace("prompt_for: why", "prompt_for: why, prompt_optional: true");
    expect((await new MemoryRun(optional).drive({ ask: saying("yes") })).ran).toEqual(["ship#1"]);
  });

  it("takes its first option with --skip-gates", async () => {
    expect(await new MemoryRun(GATE).drive({ skipGates: true })).toMatchObject({ output: { chosen: "yes" } });
  });

  it("refuses an answer that is none of its options", async () => {
    const { end } = await new MemoryRun(GATE).drive({ ask: saying("maybe") });
    expect(end).toMatchObject({ type: "raised", error: { kind: "internal.bad_value" } });
  });
});

const QUESTIONS = `
workflow: { name: case, entry_point: ask }
agents:
  - name: ask
    type: questions
    questions: [{ id: name, text: Who? }, { id: why, text: Why? }]
    routes: [{ to: $end }]
output: { answers: "{{ ask.output.answers }}" }
`;

describe("a list of questions", () => {
  it("that was broken off keeps the answers that were given", async () => {
    const run = new MemoryRun(QUESTIONS);
    const leaving: Asker = async (_question, _signal, progress) => {
      progress?.answered({ id: "name", answer: "me", source: "free_text" });
      return undefined;
    };
    expect((await run.drive({ ask: leaving })).end.type).toBe("paused");
    let before: readonly { readonly id: string }[] = [];
    const finishing: Asker = async (_question, _signal, progress) => {
      before = progress?.given ?? [];
      const why = { id: "why", answer: "so", source: "free_text" } as const;
      return { kind: "questions", answers: [...(progress?.given ?? []), why], outcome: "completed", by: "terminal" };
    };
    const { output } = await run.drive({ ask: finishing });
    expect(before.map(({ id }) => id)).toEqual(["name"]);
    expect(JSON.stringify(output)).toContain("so");
  });
});
