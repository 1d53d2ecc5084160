// Gates and questions: a run pauses where nobody is there, and does not ask again what was answered.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";
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

describe("a gate with a timeout", () => {
  const HOUR = 3_600_000;
  const timed = (more: string): string =>
    GATE.replace("    prompt: Ship it?", `    prompt: Ship it?\n    timeout: 1h\n    ${more}`);
  /** Answers after so many hours of virtual time, if anybody still listens. */
  const answering =
    (hours: number, value = "yes"): Asker =>
    async (_, signal, __, clock) => {
      await clock?.sleep(hours * HOUR, signal);
      return signal.aborted ? undefined : { kind: "gate", value, additional_input: {}, by: "terminal" };
    };

  it("takes an answer that comes in time", async () => {
    expect(await new MemoryRun(timed("")).drive({ ask: answering(0.5) })).toMatchObject({ output: { chosen: "yes" } });
  });

  it("chooses what on_timeout says when nobody answers, and records that", async () => {
    const { output, recorded } = await new MemoryRun(timed('on_timeout: "no"')).drive({ ask: answering(2) });
    expect(output).toEqual({ chosen: "no" });
    expect(recorded("gate_resolved")).toMatchObject([{ selected_option: "no", answered_by: "timeout" }]);
  });

  it("raises gate.timeout otherwise, which a route may take", async () => {
    const { end } = await new MemoryRun(timed("")).drive({ ask: answering(2) });
    expect(end).toMatchObject({ type: "raised", error: { kind: "gate.timeout", details: { timeout_seconds: 3600 } } });
    const routed = timed("routes: [{ on_error: gate.timeout, to: ship }]");
    expect((await new MemoryRun(routed).drive({ ask: answering(2) })).ran).toEqual(["ship#1"]);
  });

  it("keeps its deadline while nobody drives the run", async () => {
    const run = new MemoryRun(timed('on_timeout: "no"'));
    const paused = await run.drive();
    expect(paused.end.type).toBe("paused");
    const [{ deadline } = { deadline: "" }] = paused.recorded("gate_presented");
    await run.clock.sleep(HOUR / 2);
    const again = await run.drive();
    expect(again.end.type).toBe("paused");
    expect(again.recorded("gate_presented")).toMatchObject([{ deadline }]);
    await run.clock.sleep(HOUR);
    expect((await run.drive()).output).toEqual({ chosen: "no" });
  });

  it("is asked anew, with all its time, after it failed", async () => {
    const run = new MemoryRun(timed(""));
    expect((await run.drive({ ask: answering(2) })).end.type).toBe("raised");
    expect(await run.drive({ ask: answering(0.5) })).toMatchObject({ output: { chosen: "yes" } });
  });

  it("reminds as often as it says, and stops when somebody answers", async () => {
    const { recorded } = await new MemoryRun(timed("remind: 20m")).drive({ ask: answering(0.9) });
    expect(recorded("gate_notified").map(({ reminder }) => reminder)).toEqual([1, 2]);
  });

  it("raises for questions too", async () => {
    const questions = QUESTIONS.replace("    type: questions", "    type: questions\n    timeout: 1h");
    const { end } = await new MemoryRun(questions).drive({ ask: answering(2) });
    expect(end).toMatchObject({ type: "raised", error: { kind: "gate.timeout" } });
  });
});

describe("a gate with approvers", () => {
  const approved = (more: string): string => GATE.replace("    prompt: Ship it?", `    prompt: Ship it?\n    ${more}`);
  const by =
    (person: string | undefined, way = "terminal", claims?: string): Asker =>
    async () => ({
      kind: "gate",
      value: "yes",
      additional_input: {},
      by: way,
      ...(person ? { person } : {}),
      ...(claims ? { claims } : {}),
    });

  it.each([
    ["an approver", "alex", undefined, "completed"],
    ["somebody else", "sam", undefined, "paused"],
    ["somebody who says they are one", "sam", "alex", "paused"],
    ["nobody that is known", undefined, "alex", "paused"],
  ])("answered by %s", async (_, person, claims, end) => {
    const drive = await new MemoryRun(approved("approvers: [alex]")).drive({ ask: by(person, "terminal", claims) });
    expect(drive.end.type).toBe(end);
    expect(drive.recorded("gate_refused")).toHaveLength(end === "paused" ? 1 : 0);
  });

  it("is not answered by an agent, nor by --skip-gates", async () => {
    const run = approved("approvers: [alex]");
    expect((await new MemoryRun(run).drive({ ask: by("alex", "mcp:agent") })).end.type).toBe("paused");
    expect((await new MemoryRun(run).drive({ skipGates: true })).end.type).toBe("paused");
  });

  it("with four_eyes is not answered by whoever started the run", async () => {
    const run = approved("four_eyes: true");
    expect((await new MemoryRun(run).drive({ ask: by("alex"), startedBy: "alex" })).end.type).toBe("paused");
    expect((await new MemoryRun(run).drive({ ask: by("sam"), startedBy: "alex" })).end.type).toBe("completed");
  });
});
